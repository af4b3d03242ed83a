import { stringify } from 'yaml';
import { githubApiUrl } from '../../../../ci/github/github-url.ts';
import { Config } from '../../../../core/config/config.ts';
import { ConfigError } from '../../../../core/config/config-problem.ts';
import { parseConfig } from '../../../../core/config/read-config.ts';

const github = { name: 'github', provider: 'github', webhookSecret: 'hook', app: { id: 1, privateKeySecret: 'key' } };
const gitea = { name: 'gitea', provider: 'gitea', url: 'https://gitea.example', webhookSecret: 'hook' };
const secrets = { webhookSecret: 'hook', tokenSecret: 'token' };
const jenkins = { name: 'jenkins', provider: 'jenkins', url: 'https://jenkins.example/ci', user: 'davit', ...secrets };
const buildkite = { name: 'buildkite', provider: 'buildkite', organization: 'acme', ...secrets };
const forgejo = {
  name: 'forgejo',
  provider: 'forgejo',
  url: 'https://forgejo.example',
  scope: 'orgs/acme',
  ...secrets,
};
const gitlab = { name: 'gitlab', provider: 'gitlab', group: 'acme', ...secrets };
const standard = { name: 'own', provider: 'standard', webhookSecret: 'hook' };
const entries = { github, gitea, jenkins, buildkite, forgejo, gitlab, standard };
const template = { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] } };
const plain = { name: 'plain', labels: ['plain'], clusters: ['c'], namespace: 'agents', agentPort: 8811, template };
const runner = { name: 'runner', labels: ['linux'], clusters: ['c'], namespace: 'agents', runner: 'github' };

function read(ciSystems: object[], profiles: object[] = [plain]): Config {
  return parseConfig(
    stringify({ clusters: [{ name: 'c', kubeconfigSecret: 'kubeconfig' }], ciSystems, profiles }),
    'davit.yaml',
  );
}

function problemsOf(ciSystems: object[], profiles?: object[]): readonly string[] {
  try {
    read(ciSystems, profiles);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((line) => line.replace(/^davit\.yaml(:\d+:\d+)?: /, ''));
    throw error;
  }
  return [];
}

describe('a CI system', () => {
  test('is read, with defaults for missing values', () => {
    expect(read([github, { ...gitea, tokenSecret: 'token' }]).ciSystems).toEqual([
      { ...github, url: 'https://github.com' },
      { ...gitea, tokenSecret: 'token' },
    ]);
  });

  test.each([
    ['https://github.com', 'https://api.github.com'],
    ['https://github.example.com', 'https://github.example.com/api/v3'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v3'],
    ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
  ])('at %s has its API at %s', (url, apiUrl) => {
    expect(githubApiUrl({ url })).toBe(apiUrl);
  });

  test.each<[provider: keyof typeof entries, defaults: object]>([
    ['jenkins', { pollSeconds: 2 }],
    ['buildkite', { url: 'https://agent.buildkite.com/v3', queue: 'default', pollSeconds: 2 }],
    ['forgejo', { pollSeconds: 2 }],
    ['gitlab', { url: 'https://gitlab.com', pollSeconds: 15, settleSeconds: 60 }],
    ['standard', {}],
  ])('of provider %s is read with the defaults %j', (provider, defaults) => {
    expect(read([entries[provider]]).ciSystems).toEqual([{ ...entries[provider], ...defaults }]);
  });

  test.each(['admin', 'user', 'repos/acme/app.js'])('of provider forgejo may have the scope %s', (scope) => {
    expect(read([{ ...forgejo, scope }]).ciSystems).toMatchObject([{ scope }]);
  });

  const name = 'up to 12 of a-z, 0-9 and -, from a letter on';
  const origin = 'a URL such as https://ci.example.com, without a path and a slash at its end';
  const urlOfJenkins = 'a URL such as https://jenkins.example.com/ci, without a slash at its end';
  const urlOfGitlab = 'a URL such as https://gitlab.example.com, without a slash at its end';
  const scope = 'admin, user, orgs/ORGANIZATION or repos/OWNER/REPOSITORY';
  const groupOrProject = 'either group or project: runners are registered in one of them';
  const secret = 'text of 1..2048 characters';
  test.each<[provider: keyof typeof entries, key: string, value: unknown, expected: string]>([
    ['gitea', 'name', 'GitHub', name],
    ['gitea', 'name', 'thirteen-char', name],
    ['gitea', 'name', 'ci-', name],
    ['gitea', 'name', '1ci', name],
    ['gitea', 'name', 'api', 'another name: POST /launches uses this one'],
    ['gitea', 'url', undefined, 'text'],
    ['gitea', 'url', 'https://gitea.example/', origin],
    ['gitea', 'url', 'https://gitea.example/git', origin],
    ['gitea', 'url', 'gitea.example', origin],
    ['gitea', 'url', 'ftp://gitea.example', origin],
    ['gitea', 'url', 'https://G.x', origin],
    ['gitea', 'rateLimitShare', 1.5, '0.01..1'],
    ['gitea', 'rateLimitShare', 0, '0.01..1'],
    ['gitea', 'webhookSecret', '', secret],
    ['gitea', 'webhookSecret', undefined, secret],
    ['jenkins', 'url', 'https://jenkins.example/', urlOfJenkins],
    ['jenkins', 'url', 'https://a@jenkins.example', urlOfJenkins],
    ['jenkins', 'url', 'https://j/?x', urlOfJenkins],
    ['jenkins', 'user', undefined, 'text'],
    ['jenkins', 'user', 'a:b', 'the id of a user, without a colon'],
    ['jenkins', 'webhookSecret', undefined, secret],
    ['jenkins', 'tokenSecret', undefined, secret],
    ['jenkins', 'pollSeconds', 0, '1..60'],
    ['buildkite', 'organization', undefined, 'text'],
    ['buildkite', 'organization', 'Acme Inc', "an organization's slug, as in its URL: a-z, 0-9 and -"],
    ['buildkite', 'queue', 'a b', 'the key of a queue: letters, digits, _ and -'],
    ['buildkite', 'stack', 'a/b', 'the key of a stack: up to 80 letters, digits, _ and -'],
    ['buildkite', 'webhookSecret', undefined, secret],
    ['buildkite', 'tokenSecret', undefined, secret],
    ['forgejo', 'scope', undefined, 'text'],
    ['forgejo', 'scope', 'acme', scope],
    ['forgejo', 'scope', 'orgs/acme/app', scope],
    ['forgejo', 'scope', 'repos/acme/../x', scope],
    ['forgejo', 'scope', 'repos/acme/..', scope],
    ['forgejo', 'url', 'https://forgejo.example.com/', origin],
    ['forgejo', 'webhookSecret', undefined, secret],
    ['forgejo', 'tokenSecret', undefined, secret],
    ['forgejo', 'pollSeconds', 61, '1..60'],
    ['gitlab', 'url', 'https://gitlab.example/git/', urlOfGitlab],
    ['gitlab', 'group', undefined, groupOrProject],
    ['gitlab', 'group', '/acme', "a group's path, as in its URL: acme or acme/tools"],
    ['gitlab', 'webhookSecret', undefined, secret],
    ['gitlab', 'tokenSecret', undefined, secret],
    ['gitlab', 'settleSeconds', 0, '1..60'],
    ['standard', 'webhookSecret', undefined, secret],
  ])('of provider %s is refused with %s = %j: expected %s', (provider, key, value, expected) => {
    const found = value === undefined ? 'nothing' : JSON.stringify(value);

    expect(problemsOf([{ ...entries[provider], [key]: value }])).toEqual([
      `ciSystems[0].${key}: expected ${expected}, found ${found}`,
    ]);
  });

  test.each([
    [{ project: 'acme/app' }, `group: expected ${groupOrProject}, found "acme"`],
    [{ group: undefined, project: 'app' }, 'project: expected a project\'s path, as in its URL: acme/app, found "app"'],
  ])('of provider gitlab is refused with %j: %s', (change, problem) => {
    expect(problemsOf([{ ...gitlab, ...change }])).toEqual([`ciSystems[0].${problem}`]);
  });

  test.each<[provider: keyof typeof entries, key: string, value: unknown]>([
    ['gitea', 'secret', 'x'],
    ['gitea', 'app', github.app],
    ['jenkins', 'rateLimitShare', 0.5],
    ['buildkite', 'user', 'davit'],
    ['forgejo', 'organization', 'acme'],
    ['gitlab', 'rateLimitShare', 0.5],
    ['standard', 'url', 'https://jenkins.example'],
    ['standard', 'tokenSecret', 'token'],
  ])('of provider %s has no %s', (provider, key, value) => {
    expect(problemsOf([{ ...entries[provider], [key]: value }])).toEqual([`ciSystems[0]: unknown key "${key}"`]);
  });

  test('that only sends Standard Webhooks gets no agents', () => {
    expect(problemsOf([standard], [{ ...runner, runner: 'standard' }])).toEqual([
      'profiles[0].runner: expected one of github, gitea, jenkins, buildkite, forgejo, gitlab, found "standard"',
    ]);
  });

  test.each<[provider: keyof typeof entries, key: string, value: unknown, why: string]>([
    ['jenkins', 'scope', 'repository', 'Jenkins has no organizations: its agents are for all of its jobs'],
    ['jenkins', 'repositories', ['acme/*'], 'Jenkins gives an agent to any job that asks for its labels'],
    [
      'jenkins',
      'rerunWhenLost',
      true,
      'Jenkins runs no job again by itself; a pipeline does, with retry(conditions: [agent()])',
    ],
    ['jenkins', 'tellAfterSeconds', 60, 'a job of Jenkins has no commit whose status davit could set'],
    ['buildkite', 'scope', 'repository', 'Buildkite gives an agent of davit one job, whatever its pipeline is'],
    ['buildkite', 'rerunWhenLost', true, "Buildkite runs a job again by its step's own retry rules"],
    ['buildkite', 'tellAfterSeconds', 60, "a job's page in Buildkite shows at once why it waits"],
    ['forgejo', 'scope', 'repository', 'the scope of the CI system says where its runners are registered'],
    ['forgejo', 'rerunWhenLost', true, "Forgejo's API runs no job again"],
    ['forgejo', 'tellAfterSeconds', 60, "the list of Forgejo's jobs does not say which commit they build"],
    [
      'gitlab',
      'scope',
      'repository',
      "GitLab's entry says where its runners are registered: in its group or in its project",
    ],
    [
      'gitlab',
      'repositories',
      ['acme/*'],
      "GitLab gives a group's runner to any job of the group: an entry with project is for one project alone",
    ],
    ['gitlab', 'warm', { agents: 1, organizations: ['acme'] }, 'davit keeps no warm agents in GitLab'],
    ['gitlab', 'tellAfterSeconds', 60, "a status of a commit is a job in GitLab: its pipeline would wait for davit's"],
  ])('of provider %s has agents without %s = %j: %s', (provider, key, value, why) => {
    const profile = { ...runner, runner: provider, labels: ['os=linux'], [key]: value };

    expect(problemsOf([entries[provider]], [profile])).toEqual([
      `profiles[0].${key}: expected none with runner ${provider}: ${why}`,
    ]);
  });

  const noOperators = ', without spaces, quotes and operators';
  test.each<[provider: keyof typeof entries, label: string, rule: string]>([
    ['jenkins', 'a b', noOperators],
    ['jenkins', 'a&&b', noOperators],
    ['forgejo', 'a b', ''],
    ['forgejo', 'a,b', ''],
    ['forgejo', 'docker:host', ''],
    ['gitlab', 'linux,docker', ''],
  ])('of provider %s has no agents with the label %j', (provider, label, rule) => {
    expect(problemsOf([entries[provider]], [{ ...runner, runner: provider, labels: ['linux', label] }])).toEqual([
      expect.stringContaining(`profiles[0].labels[1]: expected a label of ${provider}${rule}`),
    ]);
  });

  const scaleSet = { organization: 'acme', profile: 'runner' };
  const ofSet = { ...github, events: 'scaleSet', scaleSet };

  test('that is a GitHub reads a scale set in place of webhooks if it says so', () => {
    expect(read([ofSet], [runner]).ciSystems).toMatchObject([{ events: 'scaleSet', scaleSet }]);
    expect(read([github], [runner]).ciSystems[0]).not.toHaveProperty('events');
  });

  test('that is a GitHub with a scale set needs no secret of webhooks, and keeps one that is given', () => {
    const { webhookSecret: _none, ...without } = ofSet;

    expect(read([without], [runner]).ciSystems[0]).not.toHaveProperty('webhookSecret');
    expect(read([ofSet], [runner]).ciSystems[0]).toHaveProperty('webhookSecret', 'hook');
  });

  test.each([{ events: undefined }, { events: 'webhooks' }])(
    'that is a GitHub with webhooks needs their secret: %j',
    (events) => {
      expect(problemsOf([{ ...github, ...events, webhookSecret: undefined }])).toEqual([
        'ciSystems[0].webhookSecret: expected the secret of its webhooks, because events is not scaleSet',
      ]);
    },
  );

  const eitherOwner = 'expected either organization or repository: a scale set belongs to one of them';
  test.each([
    [{ webhookSecret: '' }, `webhookSecret: expected ${secret}, found ""`],
    [{ scaleSet: undefined }, 'scaleSet: expected the scale set, because events is scaleSet'],
    [{ events: 'webhooks' }, 'events: expected scaleSet, because there is a scaleSet, found "webhooks"'],
    [{ events: 'poll' }, 'events: expected one of webhooks, scaleSet, found "poll"'],
    [{ app: undefined }, 'app: expected an app, or a tokenSecret: davit makes the scale set and its runners'],
  ])('that is a GitHub with a scale set is refused with %j: %s', (change, problem) => {
    expect(problemsOf([{ ...ofSet, ...change }], [runner])).toContainEqual(
      expect.stringContaining(`ciSystems[0].${problem}`),
    );
  });

  test.each([
    [{ repository: 'acme/app' }, `organization: ${eitherOwner}`],
    [
      { organization: 'acme/app' },
      'organization: expected an organization\'s name, as in its URL: acme, found "acme/app"',
    ],
    [{ profile: 'nothing' }, 'profile: expected one of runner, plain, found "nothing"'],
    [{ profile: 'plain' }, 'profile: expected a profile with runner github: plain has nothing'],
    [
      { organization: undefined, repository: 'acme/app' },
      'profile: expected a profile of scope repository, as the set\'s: runner has "organization"',
    ],
  ])('that is a GitHub is refused with a scale set of %j: %s', (change, problem) => {
    expect(problemsOf([{ ...ofSet, scaleSet: { ...scaleSet, ...change } }], [runner, plain])).toContainEqual(
      expect.stringContaining(`ciSystems[0].scaleSet.${problem}`),
    );
  });

  test("that is a GitHub has a scale set without sizes: the set's runners are alike", () => {
    expect(problemsOf([ofSet], [{ ...runner, sizes: { cpu: { max: 4 } } }])).toEqual([
      expect.stringContaining('ciSystems[0].scaleSet.profile: expected a profile without sizes'),
    ]);
  });

  test('has one credential', () => {
    expect(problemsOf([{ ...github, tokenSecret: 'token' }])).toEqual([
      'ciSystems[0]: expected either app or tokenSecret, and not both',
    ]);
  });
});

describe('a profile whose agents davit registers', () => {
  test('needs neither a template nor a port, and dials out', () => {
    const [profile] = read([github], [runner]).profiles;

    expect(profile).toMatchObject({
      expose: 'none',
      scope: 'organization',
      idleSeconds: 300,
      removeExitedAfterSeconds: 0,
      rerunWhenLost: false,
      template: { spec: { containers: [{ name: 'agent', image: 'ghcr.io/actions/actions-runner:latest' }] } },
    });
  });

  test('has its own settings of the agent beside the preset', () => {
    const spec = {
      nodeSelector: { disk: 'ssd' },
      containers: [
        { name: 'cache', image: 'registry.example/cache:1' },
        { name: 'agent', image: 'registry.example/runner:2', resources: { limits: { memory: '1Gi' } } },
      ],
    };

    expect(read([github], [{ ...runner, template: { spec } }]).profiles[0]?.template).toMatchObject({ spec });
    expect(read([github], [{ ...runner, template: { metadata: { labels: { a: 'b' } } } }]).profiles[0]).toMatchObject({
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'agent' }] } },
    });
  });

  test('is the same after it is bundled as JSON and parsed again', () => {
    const config = read(
      [github, { ...gitea, tokenSecret: 'token' }],
      [
        plain,
        { ...runner, scope: 'repository', repositories: ['acme/*'] },
        { ...runner, name: 'two', runner: 'gitea' },
      ],
    );

    expect(Config.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });

  const ofOneScope =
    'expected scope: repository or a runnerGroup beside it: a job of any repository can take a runner that is registered for the whole organization';
  test.each([
    [{ runner: 'gitea' }, 'runner: expected a CI system of provider gitea with an app or a tokenSecret, found none'],
    [{ runner: 'a' }, 'runner: expected one of github, gitea, jenkins, buildkite, forgejo, gitlab, found "a"'],
    [{ repositories: ['acme/*'] }, `repositories: ${ofOneScope}`],
    [
      { scope: 'repository', runnerGroup: 'builds' },
      'runnerGroup: expected none: a runner of scope repository is in no group',
    ],
    [{ expose: 'nodePort' }, 'agentPort: expected 1..65535, found nothing'],
    [{ scope: 'repository', repositories: [] }, 'repositories: expected a list of at least 1, found an empty list'],
    [
      { template: { spec: { containers: [{ name: 'cache' }] } } },
      'template.spec.containers[0].image: expected text that is not empty, found nothing',
    ],
    [{ removeExitedAfterSeconds: -1 }, 'removeExitedAfterSeconds: expected 0..1123200, found -1'],
    [{ holdFailedSeconds: 0 }, 'holdFailedSeconds: expected 1..86400, found 0'],
    [{ holdFailedSeconds: 86_401 }, 'holdFailedSeconds: expected 1..86400, found 86401'],
    [{ holdFailedSeconds: '1h' }, 'holdFailedSeconds: expected 1..86400, found "1h"'],
  ])('is refused with %j: %s', (change, problem) => {
    expect(problemsOf([github, gitea], [{ ...runner, ...change }])).toEqual([`profiles[0].${problem}`]);
  });

  test.each([
    { scope: 'repository', repositories: ['acme/*'] },
    { runnerGroup: 'builds', repositories: ['acme/*', 'acme/app-?'] },
    { runnerGroup: 'builds' },
    { scope: 'repository' },
    { expose: 'nodePort', agentPort: 8811 },
    { removeExitedAfterSeconds: 0 },
    { holdFailedSeconds: 86_400 },
  ])('may have %j', (change) => {
    expect(problemsOf([github], [{ ...runner, ...change }])).toEqual([]);
  });

  test('has a group in GitHub only', () => {
    const systems = [{ ...gitea, tokenSecret: 'token' }];

    expect(problemsOf(systems, [{ ...runner, runner: 'gitea', runnerGroup: 'builds' }])).toEqual([
      'profiles[0].runnerGroup: expected none: only GitHub has groups of runners, and runner is gitea',
    ]);
  });

  test('of a Jenkins may follow one that has all of its labels: a job may ask for an agent without one', () => {
    const profiles = [
      { ...runner, runner: 'jenkins', labels: ['linux', 'docker'] },
      { ...runner, name: 'plain', runner: 'jenkins', labels: ['linux'], rerunWhenLost: false },
    ];

    expect(problemsOf([jenkins], profiles)).toEqual([]);
  });

  test('may follow a profile with the same labels that takes none of its jobs', () => {
    const profiles = [
      { ...runner, scope: 'repository', repositories: ['acme/*'] },
      { ...runner, name: 'gitea', runner: 'gitea' },
      { ...runner, name: 'rest' },
    ];

    expect(problemsOf([github, { ...gitea, tokenSecret: 'token' }], profiles)).toEqual([]);
    expect(problemsOf([github], [runner, { ...runner, name: 'more' }])).toEqual([
      'profiles[1].labels: expected a label that profile runner, which comes first, has not: no job would get to this one',
    ]);
  });
});

describe('warm agents', () => {
  const hours = { days: ['mon'], from: '07:00', to: '19:00', timeZone: 'Europe/Berlin' };
  const warm = { agents: 2, organizations: ['acme'] };
  const ofRepository = { ...runner, scope: 'repository' };

  test.each([
    { ...runner, warm },
    { ...runner, maxAgents: 5, warm: { ...warm, schedules: [{ ...hours, agents: 5 }], burst: { perRunning: 10 } } },
    { ...ofRepository, repositories: ['acme/*'], warm: { agents: 1, repositories: ['Acme/app'] } },
  ])('are read: %j', (profile) => {
    expect(problemsOf([github], [profile])).toEqual([]);
    expect(read([github], [profile]).profiles[0]?.warm).toEqual(profile.warm);
  });

  test.each<[warm: object, problem: string, profile?: object]>([
    [{ organizations: ['acme'] }, 'agents: expected 0..10000, found nothing'],
    [
      { agents: 2 },
      'organizations: expected organizations: davit registers the agents in an organization before there is a job',
    ],
    [
      { agents: 2 },
      'repositories: expected repositories: davit registers the agents in a repository before there is a job',
      ofRepository,
    ],
    [
      { ...warm, repositories: ['acme/app'] },
      'repositories: expected organizations instead, because scope is organization',
    ],
    [{ ...warm, organizations: ['acme', 'Acme'] }, 'organizations[1]: expected each name once, found "acme" again'],
    [
      { agents: 1, repositories: ['umbrella/app'] },
      'repositories[0]: expected a repository whose jobs the profile takes: acme/*; found "umbrella/app"',
      { ...ofRepository, repositories: ['acme/*'] },
    ],
    [{ ...warm, ciSystem: 'gitea' }, 'ciSystem: expected one of github, found "gitea"'],
    [
      { ...warm, schedules: [{ ...hours, timeZone: 'Berlin', agents: 1 }] },
      'schedules[0].timeZone: expected the name of a time zone, such as Europe/Berlin, found "Berlin"',
    ],
  ])('%j are refused: %s', (given, problem, profile = runner) => {
    expect(problemsOf([github], [{ ...profile, warm: given }])).toEqual([`profiles[0].warm.${problem}`]);
  });

  test('are no more than maxAgents, in all places together', () => {
    const schedules = [{ ...hours, agents: 3 }];

    expect(problemsOf([github], [{ ...runner, maxAgents: 2, warm: { ...warm, schedules } }])).toEqual([
      'profiles[0].warm: expected at most 2 agents, because of maxAgents; found 3',
    ]);
    expect(
      problemsOf([github], [{ ...runner, maxAgents: 3, warm: { ...warm, organizations: ['acme', 'umbrella'] } }]),
    ).toEqual([
      'profiles[0].warm: expected at most 3 agents in all 2 organizations together, because of maxAgents; found 4',
    ]);
  });

  test('need a CI system of two', () => {
    const systems = [github, { ...github, name: 'other' }];

    expect(problemsOf(systems, [{ ...runner, warm }])).toEqual([
      'profiles[0].warm.ciSystem: expected one of github, other, found nothing',
    ]);
    expect(problemsOf(systems, [{ ...runner, warm: { ...warm, ciSystem: 'other' } }])).toEqual([]);
  });
});

describe('a profile without a runner', () => {
  const wanted = 'expected runner beside it: without, davit registers no agents; found';
  test.each([
    [{ scope: 'organization' }, `scope: ${wanted} "organization"`],
    [{ runnerGroup: 'builds' }, `runnerGroup: ${wanted} "builds"`],
    [{ repositories: ['acme/*'] }, `repositories: ${wanted} a list of 1`],
    [{ idleSeconds: 60 }, `idleSeconds: ${wanted} 60`],
    [{ warm: { agents: 1 } }, `warm: ${wanted} a mapping`],
    [{ rerunWhenLost: false }, `rerunWhenLost: ${wanted} false`],
    [{ tellAfterSeconds: 60 }, `tellAfterSeconds: ${wanted} 60`],
  ])('may not have %j', (change, problem) => {
    expect(problemsOf([github], [{ ...plain, ...change }])).toEqual([`profiles[0].${problem}`]);
  });

  test('has a port and a template', () => {
    const { agentPort: _port, template: _template, ...bare } = plain;

    expect(problemsOf([github], [bare])).toEqual([
      'profiles[0].agentPort: expected 1..65535, found nothing',
      'profiles[0].template: expected a mapping, found nothing',
    ]);
    expect(problemsOf([github], [{ ...bare, labels: 'plain' }])).toEqual([
      'profiles[0].labels: expected a list of 1..96, found "plain"',
      'profiles[0].agentPort: expected 1..65535, found nothing',
      'profiles[0].template: expected a mapping, found nothing',
    ]);
    expect(problemsOf([github], [{ ...plain, template: {} }])).toEqual([
      'profiles[0].template.spec: expected a mapping, found nothing',
    ]);
  });
});

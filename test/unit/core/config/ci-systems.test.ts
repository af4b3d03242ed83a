import { stringify } from 'yaml';
import { githubApiUrl } from '../../../../ci/github/github-url.ts';
import { Config } from '../../../../core/config/config.ts';
import { ConfigError } from '../../../../core/config/config-problem.ts';
import { parseConfig } from '../../../../core/config/read-config.ts';

const github = { name: 'github', provider: 'github', webhookSecret: 'hook', app: { id: 1, privateKeySecret: 'key' } };
const gitea = { name: 'gitea', provider: 'gitea', url: 'https://gitea.example', webhookSecret: 'hook' };
const jenkins = {
  name: 'jenkins',
  provider: 'jenkins',
  url: 'https://jenkins.example/ci',
  user: 'davit',
  webhookSecret: 'hook',
  tokenSecret: 'token',
};
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

  const nameRule = 'expected up to 12 of a-z, 0-9 and -, from a letter on';
  test.each([
    { change: { name: 'GitHub' }, problem: `name: ${nameRule}, found "GitHub"` },
    { change: { name: 'thirteen-char' }, problem: `name: ${nameRule}, found "thirteen-char"` },
    { change: { name: 'ci-' }, problem: `name: ${nameRule}, found "ci-"` },
    { change: { name: '1ci' }, problem: `name: ${nameRule}, found "1ci"` },
    {
      change: { name: 'api' },
      problem: 'name: expected another name: POST /launches uses this one, found "api"',
    },
    { change: { url: undefined }, problem: 'url: expected text, found nothing' },
    ...[
      'https://gitea.example/',
      'https://gitea.example/git',
      'gitea.example',
      'ftp://gitea.example',
      'https://G.x',
    ].map((url) => ({
      change: { url },
      problem: `url: expected a URL such as https://ci.example.com, without a path and a slash at its end, found "${url}"`,
    })),
    { change: { rateLimitShare: 1.5 }, problem: 'rateLimitShare: expected 0.01..1, found 1.5' },
    { change: { rateLimitShare: 0 }, problem: 'rateLimitShare: expected 0.01..1, found 0' },
    { change: { webhookSecret: '' }, problem: 'webhookSecret: expected text of 1..2048 characters, found ""' },
    { change: { secret: 'x' }, problem: ' unknown key "secret"' },
    { change: { app: github.app }, problem: ' unknown key "app"' },
  ])('with a mistake is refused with what was expected and what was found: $problem', ({ change, problem }) => {
    expect(problemsOf([github, { ...gitea, ...change }])).toEqual([
      `ciSystems[1]${problem.startsWith(' ') ? ':' : '.'}${problem}`,
    ]);
  });

  test('that only sends Standard Webhooks has no URL and no credential', () => {
    const standard = { name: 'jenkins', provider: 'standard', webhookSecret: 'hook' };

    expect(read([standard]).ciSystems).toEqual([standard]);
    expect(problemsOf([{ ...standard, url: 'https://jenkins.example', tokenSecret: 'token' }])).toEqual([
      'ciSystems[0]: unknown key "url"',
      'ciSystems[0]: unknown key "tokenSecret"',
    ]);
    expect(problemsOf([standard], [{ ...runner, runner: 'standard' }])).toEqual([
      'profiles[0].runner: expected one of github, gitea, jenkins, buildkite, forgejo, gitlab, found "standard"',
    ]);
  });

  test('that is a Jenkins may be below a path, and is polled every two seconds', () => {
    expect(read([jenkins]).ciSystems).toEqual([{ ...jenkins, pollSeconds: 2 }]);
  });

  const urlOfJenkins = 'expected a URL such as https://jenkins.example.com/ci, without a slash at its end';
  test.each([
    { change: { url: 'https://jenkins.example/' }, problem: `url: ${urlOfJenkins}, found "https://jenkins.example/"` },
    {
      change: { url: 'https://a@jenkins.example' },
      problem: `url: ${urlOfJenkins}, found "https://a@jenkins.example"`,
    },
    { change: { url: 'https://j/?x' }, problem: `url: ${urlOfJenkins}, found "https://j/?x"` },
    { change: { user: undefined }, problem: 'user: expected text, found nothing' },
    { change: { user: 'a:b' }, problem: 'user: expected the id of a user, without a colon, found "a:b"' },
    { change: { tokenSecret: undefined }, problem: 'tokenSecret: expected text of 1..2048 characters, found nothing' },
    { change: { pollSeconds: 0 }, problem: 'pollSeconds: expected 1..60, found 0' },
    { change: { rateLimitShare: 0.5 }, problem: ' unknown key "rateLimitShare"' },
  ])('that is a Jenkins with a mistake is refused: $problem', ({ change, problem }) => {
    expect(problemsOf([{ ...jenkins, ...change }])).toEqual([
      `ciSystems[0]${problem.startsWith(' ') ? ':' : '.'}${problem}`,
    ]);
  });

  const buildkite = {
    name: 'buildkite',
    provider: 'buildkite',
    organization: 'acme',
    webhookSecret: 'hook',
    tokenSecret: 'token',
  };

  test("that is a Buildkite is the default queue of Buildkite's own service, and is polled every two seconds", () => {
    const defaults = { url: 'https://agent.buildkite.com/v3', queue: 'default', pollSeconds: 2 };

    expect(read([buildkite]).ciSystems).toEqual([{ ...buildkite, ...defaults }]);
  });

  test.each([
    { change: { organization: undefined }, problem: 'organization: expected text, found nothing' },
    {
      change: { organization: 'Acme Inc' },
      problem: 'organization: expected an organization\'s slug, as in its URL: a-z, 0-9 and -, found "Acme Inc"',
    },
    { change: { queue: 'a b' }, problem: 'queue: expected the key of a queue: letters, digits, _ and -, found "a b"' },
    {
      change: { stack: 'a/b' },
      problem: 'stack: expected the key of a stack: up to 80 letters, digits, _ and -, found "a/b"',
    },
    { change: { tokenSecret: undefined }, problem: 'tokenSecret: expected text of 1..2048 characters, found nothing' },
    { change: { user: 'davit' }, problem: ' unknown key "user"' },
  ])('that is a Buildkite with a mistake is refused: $problem', ({ change, problem }) => {
    expect(problemsOf([{ ...buildkite, ...change }])).toEqual([
      `ciSystems[0]${problem.startsWith(' ') ? ':' : '.'}${problem}`,
    ]);
  });

  test.each([
    { key: 'scope', value: 'repository', why: 'Buildkite gives an agent of davit one job, whatever its pipeline is' },
    { key: 'rerunWhenLost', value: true, why: "Buildkite runs a job again by its step's own retry rules" },
    { key: 'tellAfterSeconds', value: 60, why: "a job's page in Buildkite shows at once why it waits" },
  ])('that is a Buildkite has agents without $key', ({ key, value, why }) => {
    const profile = { ...runner, runner: 'buildkite', labels: ['queue=default'], [key]: value };

    expect(problemsOf([buildkite], [profile])).toEqual([
      `profiles[0].${key}: expected none with runner buildkite: ${why}`,
    ]);
  });

  const forgejo = {
    name: 'forgejo',
    provider: 'forgejo',
    url: 'https://forgejo.example.com',
    scope: 'orgs/acme',
    webhookSecret: 'hook',
    tokenSecret: 'token',
  };

  test.each(['admin', 'user', 'orgs/acme', 'repos/acme/app.js'])(
    'that is a Forgejo has the scope %s, and is polled every two seconds',
    (scope) => {
      expect(read([{ ...forgejo, scope }]).ciSystems).toEqual([{ ...forgejo, scope, pollSeconds: 2 }]);
    },
  );

  const scopes = 'expected admin, user, orgs/ORGANIZATION or repos/OWNER/REPOSITORY';
  test.each([
    { change: { scope: undefined }, problem: 'scope: expected text, found nothing' },
    { change: { scope: 'acme' }, problem: `scope: ${scopes}, found "acme"` },
    { change: { scope: 'orgs/acme/app' }, problem: `scope: ${scopes}, found "orgs/acme/app"` },
    { change: { scope: 'repos/acme/../x' }, problem: `scope: ${scopes}, found "repos/acme/../x"` },
    { change: { scope: 'repos/acme/..' }, problem: `scope: ${scopes}, found "repos/acme/.."` },
    {
      change: { url: 'https://forgejo.example.com/' },
      problem:
        'url: expected a URL such as https://ci.example.com, without a path and a slash at its end, found "https://forgejo.example.com/"',
    },
    { change: { tokenSecret: undefined }, problem: 'tokenSecret: expected text of 1..2048 characters, found nothing' },
    { change: { pollSeconds: 61 }, problem: 'pollSeconds: expected 1..60, found 61' },
    { change: { organization: 'acme' }, problem: ' unknown key "organization"' },
  ])('that is a Forgejo with a mistake is refused: $problem', ({ change, problem }) => {
    expect(problemsOf([{ ...forgejo, ...change }])).toEqual([
      `ciSystems[0]${problem.startsWith(' ') ? ':' : '.'}${problem}`,
    ]);
  });

  test.each([
    { key: 'scope', value: 'repository', why: 'the scope of the CI system says where its runners are registered' },
    { key: 'rerunWhenLost', value: true, why: "Forgejo's API runs no job again" },
    { key: 'tellAfterSeconds', value: 60, why: "the list of Forgejo's jobs does not say which commit they build" },
  ])('that is a Forgejo has agents without $key', ({ key, value, why }) => {
    expect(problemsOf([forgejo], [{ ...runner, runner: 'forgejo', labels: ['docker'], [key]: value }])).toEqual([
      `profiles[0].${key}: expected none with runner forgejo: ${why}`,
    ]);
  });

  test.each(['a b', 'a,b', 'docker:host'])('that is a Forgejo has no runner with the label %s', (label) => {
    expect(problemsOf([forgejo], [{ ...runner, runner: 'forgejo', labels: [label] }])).toEqual([
      expect.stringContaining(`profiles[0].labels[0]: expected a label of forgejo`),
    ]);
  });

  const gitlab = { name: 'gitlab', provider: 'gitlab', group: 'acme', webhookSecret: 'hook', tokenSecret: 'token' };

  test("that is a GitLab is a group of GitLab's own server, is polled every 15 s, and lets a paused runner settle for a minute", () => {
    const defaults = { url: 'https://gitlab.com', pollSeconds: 15, settleSeconds: 60 };

    expect(read([gitlab]).ciSystems).toEqual([{ ...gitlab, ...defaults }]);
  });

  test.each([
    {
      change: { url: 'https://gitlab.example/git/' },
      problem:
        'url: expected a URL such as https://gitlab.example.com, without a slash at its end, found "https://gitlab.example/git/"',
    },
    {
      change: { group: undefined },
      problem: 'group: expected either group or project: runners are registered in one of them, found nothing',
    },
    {
      change: { project: 'acme/app' },
      problem: 'group: expected either group or project: runners are registered in one of them, found "acme"',
    },
    {
      change: { group: '/acme' },
      problem: 'group: expected a group\'s path, as in its URL: acme or acme/tools, found "/acme"',
    },
    {
      change: { group: undefined, project: 'app' },
      problem: 'project: expected a project\'s path, as in its URL: acme/app, found "app"',
    },
    { change: { tokenSecret: undefined }, problem: 'tokenSecret: expected text of 1..2048 characters, found nothing' },
    { change: { settleSeconds: 0 }, problem: 'settleSeconds: expected 1..60, found 0' },
    { change: { rateLimitShare: 0.5 }, problem: ' unknown key "rateLimitShare"' },
  ])('that is a GitLab with a mistake is refused: $problem', ({ change, problem }) => {
    expect(problemsOf([{ ...gitlab, ...change }])).toEqual([
      `ciSystems[0]${problem.startsWith(' ') ? ':' : '.'}${problem}`,
    ]);
  });

  test.each([
    {
      key: 'scope',
      value: 'repository',
      why: "GitLab's entry says where its runners are registered: in its group or in its project",
    },
    {
      key: 'repositories',
      value: ['acme/*'],
      why: "GitLab gives a group's runner to any job of the group: an entry with project is for one project alone",
    },
    { key: 'warm', value: { agents: 1, organizations: ['acme'] }, why: 'davit keeps no warm agents in GitLab' },
    {
      key: 'tellAfterSeconds',
      value: 60,
      why: "a status of a commit is a job in GitLab: its pipeline would wait for davit's",
    },
    { key: 'labels', value: ['linux,docker'], why: undefined },
  ])('that is a GitLab has agents without $key: $value', ({ key, value, why }) => {
    const problems = problemsOf([gitlab], [{ ...runner, runner: 'gitlab', [key]: value }]);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`profiles[0].${key}`);
    if (why !== undefined) expect(problems[0]).toBe(`profiles[0].${key}: expected none with runner gitlab: ${why}`);
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

  test.each([gitea, jenkins, buildkite, forgejo, gitlab, { name: 'own', provider: 'standard' }])(
    'that is a $provider needs the secret of its webhooks',
    (system) => {
      expect(problemsOf([{ ...system, webhookSecret: undefined }])).toEqual([
        'ciSystems[0].webhookSecret: expected text of 1..2048 characters, found nothing',
      ]);
    },
  );

  test.each([
    {
      change: { webhookSecret: '' },
      problem: 'webhookSecret: expected text of 1..2048 characters, found ""',
    },
    {
      change: { scaleSet: undefined },
      problem: 'scaleSet: expected the scale set, because events is scaleSet',
    },
    {
      change: { events: 'webhooks' },
      problem: 'events: expected scaleSet, because there is a scaleSet, found "webhooks"',
    },
    { change: { events: 'poll' }, problem: 'events: expected one of webhooks, scaleSet, found "poll"' },
    {
      change: { app: undefined },
      problem: 'app: expected an app, or a tokenSecret: davit makes the scale set and its runners',
    },
    {
      change: { scaleSet: { ...scaleSet, repository: 'acme/app' } },
      problem: 'scaleSet.organization: expected either organization or repository: a scale set belongs to one of them',
    },
    {
      change: { scaleSet: { ...scaleSet, organization: 'acme/app' } },
      problem: 'scaleSet.organization: expected an organization\'s name, as in its URL: acme, found "acme/app"',
    },
    {
      change: { scaleSet: { ...scaleSet, profile: 'nothing' } },
      problem: 'scaleSet.profile: expected one of runner, plain, found "nothing"',
    },
    {
      change: { scaleSet: { ...scaleSet, profile: 'plain' } },
      problem: 'scaleSet.profile: expected a profile with runner github: plain has nothing',
    },
    {
      change: { scaleSet: { profile: 'runner', repository: 'acme/app' } },
      problem: 'scaleSet.profile: expected a profile of scope repository, as the set\'s: runner has "organization"',
    },
  ])('that is a GitHub with a mistake about its scale set is refused: $problem', ({ change, problem }) => {
    expect(problemsOf([{ ...ofSet, ...change }], [runner, plain])).toContainEqual(
      expect.stringContaining(`ciSystems[0].${problem}`),
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

  test.each([
    ['runner: expected a CI system of provider gitea with an app or a tokenSecret, found none', { runner: 'gitea' }],
    [
      'runner: expected one of github, gitea, jenkins, buildkite, forgejo, gitlab, found "travis"',
      { runner: 'travis' },
    ],
    [
      'repositories: expected scope: repository or a runnerGroup beside it: a job of any repository can take a runner that is registered for the whole organization',
      { repositories: ['acme/*'] },
    ],
    [
      'runnerGroup: expected none: a runner of scope repository is in no group',
      { scope: 'repository', runnerGroup: 'builds' },
    ],
    ['agentPort: expected 1..65535, found nothing', { expose: 'nodePort' }],
    [
      'repositories[0]: expected OWNER/NAME, with * and ? for what may be anything, found "acme"',
      { scope: 'repository', repositories: ['acme'] },
    ],
    ['repositories: expected a list of at least 1, found an empty list', { scope: 'repository', repositories: [] }],
    [
      'template.spec.containers[0].image: expected text that is not empty, found nothing',
      { template: { spec: { containers: [{ name: 'cache' }] } } },
    ],
    ['removeExitedAfterSeconds: expected 0..1123200, found -1', { removeExitedAfterSeconds: -1 }],
    ['holdFailedSeconds: expected 1..86400, found 0', { holdFailedSeconds: 0 }],
    ['holdFailedSeconds: expected 1..86400, found 86401', { holdFailedSeconds: 86_401 }],
    ['holdFailedSeconds: expected 1..86400, found "1h"', { holdFailedSeconds: '1h' }],
  ])('with a mismatch is refused: %s', (problem, change) => {
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

  test.each([
    [{ scope: 'repository' }, 'scope: expected none with runner jenkins: Jenkins has no organizations'],
    [
      { repositories: ['acme/*'] },
      'repositories: expected none with runner jenkins: Jenkins gives an agent to any job',
    ],
    [{ rerunWhenLost: true }, 'rerunWhenLost: expected none with runner jenkins: Jenkins runs no job again'],
    [{ tellAfterSeconds: 60 }, 'tellAfterSeconds: expected none with runner jenkins: a job of Jenkins has no commit'],
    [{ labels: ['linux', 'a b'] }, 'labels[1]: expected a label of jenkins, without spaces, quotes and operators'],
    [{ labels: ['a&&b'] }, 'labels[0]: expected a label of jenkins, without spaces, quotes and operators'],
  ])('of a Jenkins may not have %j', (change, problem) => {
    const problems = problemsOf([jenkins], [{ ...runner, runner: 'jenkins', ...change }]);

    expect(problems).toEqual([expect.stringContaining(`profiles[0].${problem}`)]);
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

  test.each([
    [{ ...runner, warm: { organizations: ['acme'] } }, 'agents: expected 0..10000, found nothing'],
    [
      { ...runner, warm: { agents: 2 } },
      'organizations: expected organizations: davit registers the agents in an organization before there is a job',
    ],
    [
      { ...ofRepository, warm: { agents: 2 } },
      'repositories: expected repositories: davit registers the agents in a repository before there is a job',
    ],
    [
      { ...runner, warm: { ...warm, repositories: ['acme/app'] } },
      'repositories: expected organizations instead, because scope is organization',
    ],
    [
      { ...runner, warm: { ...warm, organizations: ['acme', 'Acme'] } },
      'organizations[1]: expected each name once, found "acme" again',
    ],
    [
      { ...runner, warm: { ...warm, organizations: ['*'] } },
      'organizations[0]: expected the name of one organization, found "*"',
    ],
    [
      { ...ofRepository, warm: { agents: 1, repositories: ['acme/*'] } },
      'repositories[0]: expected OWNER/NAME of one repository, found "acme/*"',
    ],
    [
      { ...ofRepository, repositories: ['acme/*'], warm: { agents: 1, repositories: ['umbrella/app'] } },
      'repositories[0]: expected a repository whose jobs the profile takes: acme/*; found "umbrella/app"',
    ],
    [{ ...runner, warm: { ...warm, ciSystem: 'gitea' } }, 'ciSystem: expected one of github, found "gitea"'],
    [
      { ...runner, warm: { ...warm, schedules: [{ ...hours, timeZone: 'Berlin', agents: 1 }] } },
      'schedules[0].timeZone: expected the name of a time zone, such as Europe/Berlin, found "Berlin"',
    ],
    [
      { ...runner, warm: { ...warm, schedules: [{ ...hours, from: '7:00', agents: 1 }] } },
      'schedules[0].from: expected a time between 00:00 and 23:59, such as 07:00, found "7:00"',
    ],
  ])('%j is refused', (profile, problem) => {
    expect(problemsOf([github], [profile])).toEqual([`profiles[0].warm.${problem}`]);
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
    expect(problemsOf([github], [{ ...plain, template: {} }])).toEqual([
      'profiles[0].template.spec: expected a mapping, found nothing',
    ]);
  });
});

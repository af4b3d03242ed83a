import * as z from 'zod';
import { PodTemplate } from '../../../core/agent/pod-template.ts';
import { withPreset } from '../../../core/agent/runner-preset.ts';
import type { RunnerProvider } from '../../../core/ci/ci-system-config.ts';
import { tokenAnswer } from '../../../functions/connect/token-answer.ts';
import { expand } from '../../../sandbox/node/environment.ts';
import { type ConnectAnswer, type PresetRun, runPreset } from '../../support/run-preset.ts';

const token = {
  agentName: 'davit-github-1-2-1',
  launchId: 'github-1-2-1',
  host: '192.0.2.7',
  port: 9,
  tls: false,
  publishedAt: '2026-06-01T10:00:00.000Z',
  expiresAt: '2026-06-01T10:10:00.000Z',
};
/** The runner's files, as GitHub's answer has them. Some JSON writers escape `+`. */
const runnerFiles = {
  '.runner': '{"agentName":"davit-0a1b2c3d-github-1-2-1","ephemeral":true}',
  '.credentials': "$(exit 3)'\\\n~~~ÿÿÿ>>>???",
  '.credentials_rsaparams': 'key-of-the-runner',
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const jitConfig = base64(
  JSON.stringify(
    Object.fromEntries(Object.entries(runnerFiles).map(([name, text]) => [name, base64(text)])),
    undefined,
    2,
  ).replaceAll('+', '\\u002B'),
);
const registrations: Record<RunnerProvider, Record<string, string>> = {
  github: { ACTIONS_RUNNER_INPUT_JITCONFIG: jitConfig },
  gitea: {
    GITEA_INSTANCE_URL: 'https://gitea.example.com',
    GITEA_RUNNER_ID: '9',
    GITEA_RUNNER_NAME: 'davit-0a1b2c3d-gitea-5-7-1',
    GITEA_RUNNER_UUID: 'ec85849d-bba3-4abc-9303-1445d06943ff',
    GITEA_RUNNER_TOKEN: 'token-of-the-runner',
    GITEA_RUNNER_LABELS: 'linux,say "hi",back\\slash',
  },
  gitlab: {
    GITLAB_URL: 'https://gitlab.example.com',
    GITLAB_RUNNER_NAME: 'davit-0a1b2c3d-gitlab-5-7-1',
    GITLAB_RUNNER_TOKEN: 'glrt-token-of-the-runner',
  },
  jenkins: {
    JENKINS_URL: 'https://jenkins.example.com/ci',
    JENKINS_AGENT_NAME: 'davit-0a1b2c3d-jenkins-5-7-1',
    JENKINS_SECRET: 'secret-of-the-node',
  },
  buildkite: {
    BUILDKITE_AGENT_ENDPOINT: 'https://agent.buildkite.com/v3',
    BUILDKITE_AGENT_TOKEN: 'token-of-the-agent',
    BUILDKITE_AGENT_ACQUIRE_JOB: 'ec85849d-bba3-4abc-9303-1445d06943ff',
    BUILDKITE_AGENT_NAME: 'davit-0a1b2c3d-buildkite-5-7-1',
    BUILDKITE_AGENT_TAGS: 'queue=default,os=linux',
  },
  forgejo: {
    FORGEJO_URL: 'https://forgejo.example.com',
    FORGEJO_RUNNER_UUID: 'ec85849d-bba3-4abc-9303-1445d06943ff',
    FORGEJO_RUNNER_TOKEN: 'token-of-the-runner',
    FORGEJO_RUNNER_LABELS: 'linux,davit/cpu=4,*',
    FORGEJO_JOB_HANDLE: '1c0c4b2e-3f8e-4d2e-9f6c-0a1b2c3d4e5f',
  },
};

/**
 * A runner that reads its registration, and then prints its arguments, its environment, its registration, and everything
 * that its job could read in the processes and files of the container.
 */
const say = (path: string, registration: string) => ({
  path,
  script: `#!/bin/sh
printf '%s\\0' "$0 $*"
env -0
printf '%s\\0' "$(for name in ${registration}; do cat "$name"; echo; done)"
while [ -p .runner ]; do /bin/sleep 0.01; done
cat /proc/$$/environ /proc/$$/cmdline
cat ./.runner 2>/dev/null || :
`,
});
const runners = {
  github: say('run.sh', '.runner .credentials .credentials_rsaparams'),
  gitea: say('act_runner', '.runner'),
  gitlab: say('gitlab-runner', '"$3"'),
  jenkins: say('jenkins-agent', '"${JENKINS_SECRET#@}"'),
  buildkite: say('buildkite-agent', '"$3"'),
  forgejo: say('forgejo-runner', '"${8#file:}"'),
};

const Command = z.array(z.string());

/** The kubelet's command for a profile that gives only its runner. */
function commandOf(provider: RunnerProvider): string[] {
  const { spec } = PodTemplate.parse(withPreset(provider, 'agent'));
  return Command.parse(spec.containers[0]?.['command']).map((word) =>
    expand(word, { answer: 'wrong', status: 'wrong' }),
  );
}

function good(provider: RunnerProvider): ConnectAnswer {
  const { statusCode, headers, body } = tokenAnswer(
    { query: { as: 'env' }, headers: {} },
    token,
    registrations[provider],
  );
  return { status: statusCode, headers, body };
}

const problem = '{"type":"https://davit.dev/problems/x","title":"HTTP/1.1 410 is not what this is","status":503}';
const notYet = {
  status: 503,
  headers: { 'retry-after': '7', 'content-type': 'application/problem+json' },
  body: problem,
};

function run(
  provider: RunnerProvider,
  client: 'curl' | 'wget' | undefined,
  answers: ConnectAnswer[],
  isLate = false,
): Promise<PresetRun> {
  return runPreset({ command: commandOf(provider), client, answers, runner: runners[provider], isLate });
}

function startedBy({ output }: PresetRun) {
  const [started = '', ...rest] = output.split('\0');
  const fileAt = rest.findIndex((part) => part.startsWith('{'));
  return { started, environment: rest.slice(0, fileAt), file: rest[fileAt] ?? '', readable: rest.slice(fileAt + 1) };
}

describe.each(['curl', 'wget'] as const)('a container with %s', (client) => {
  test('polls as its agent, and starts the runner with the answer, which only the runner can read', async () => {
    const done = await run('github', client, [good('github')]);

    expect(done).toMatchObject({ code: 0, errors: '', pauses: [] });
    expect(done.requests).toMatchObject([
      {
        method: 'POST',
        url: '/agents/davit-github-1-2-1/connect',
        headers: { authorization: 'Bearer credential-of-the-agent', accept: 'text/x-shellscript; standby=202' },
      },
    ]);
    const { started, environment, file, readable } = startedBy(done);
    expect(started).toMatch(/^\S*\/run\.sh $/);
    expect(file).toBe(Object.values(runnerFiles).join('\n'));
    expect(environment.join('\n')).not.toMatch(/DAVIT_CREDENTIAL|DAVIT_CONNECT_URL|DAVIT_HOST/);
    expect([...environment, ...readable].join('\n')).not.toMatch(/JITCONFIG|key-of-the-runner|credential-of-the-agent/);
    expect([...environment, ...readable].join('\n')).not.toContain(jitConfig);
  });

  test('asks again with the credential that it gets while it stands by, and not with what is none', async () => {
    const accepted = (body: string) => ({ status: 202, headers: { 'retry-after': '1' }, body });
    const answers = [
      accepted('# davit: stands by\n'),
      accepted('# davit: credential eyJh.renewed_1.x-y .\n'),
      accepted('# davit: credential $(exit_3) .\n'),
      { ...accepted('# davit: credential cut.off'), isCut: true },
      good('github'),
    ];

    const done = await run('github', client, answers);

    expect(done.code).toBe(0);
    expect(done.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer credential-of-the-agent',
      'Bearer credential-of-the-agent',
      ...Array.from({ length: 3 }, () => 'Bearer eyJh.renewed_1.x-y'),
    ]);
    expect(startedBy(done).environment.join('\n')).not.toContain('renewed_1');
  });

  test("writes the file that Gitea's runner reads, and leaves its token nowhere else once it has", async () => {
    const done = await run('gitea', client, [good('gitea')]);

    const { started, environment, file, readable } = startedBy(done);
    expect(done).toMatchObject({ code: 0, errors: '' });
    expect(started).toMatch(/\/act_runner daemon$/);
    expect(readable.join('\n')).toContain('PATH=');
    expect([...environment, ...readable].join('\n')).not.toMatch(/token-of-the-runner|credential-of-the-agent/);
    expect(JSON.parse(file)).toEqual({
      id: 9,
      uuid: 'ec85849d-bba3-4abc-9303-1445d06943ff',
      name: 'davit-0a1b2c3d-gitea-5-7-1',
      token: 'token-of-the-runner',
      address: 'https://gitea.example.com',
      // The form in which the runner itself would write them: it rewrites its file, token included, if they differ.
      labels: ['linux:host', 'say "hi":host', 'back\\slash:host'],
      ephemeral: true,
    });
  });

  test("lets GitLab's runner read its token from a pipe, once, and keeps it out of the environment", async () => {
    const done = await run('gitlab', client, [good('gitlab')]);

    const [started, ...rest] = done.output.split('\0');
    expect(done).toMatchObject({ code: 0, errors: '' });
    expect(started).toMatch(
      /\/gitlab-runner run-single --config \/\S+\/config\.toml --runner davit --max-builds 1 --wait-timeout 3600$/,
    );
    const config = rest.find((part) => part.startsWith('[[runners]]'));
    expect(config?.split('\n').slice(0, 7)).toEqual([
      '[[runners]]',
      'name = "davit"',
      'url = "https://gitlab.example.com"',
      'token = "glrt-token-of-the-runner"',
      'executor = "shell"',
      'builds_dir = "/tmp/builds"',
      'cache_dir = "/tmp/cache"',
    ]);
    const others = rest.filter((part) => part !== config);
    expect(others.join('\n')).toContain('PATH=');
    expect(others.join('\n')).not.toMatch(/token-of-the-runner|credential-of-the-agent/);
  });

  test("lets the job of GitLab's runner finish when Kubernetes ends the container, and aborts it in the end", async () => {
    const script = `#!${process.execPath}
process.on('SIGQUIT', () => console.log('quit'));
process.on('SIGTERM', () => { console.log('terminated'); process.exit(5); });
process.kill(process.ppid, 'SIGTERM');
setInterval(() => {}, 1000);
`;
    const answers = [good('gitlab')];
    const runner = { path: 'gitlab-runner', script };

    const done = await runPreset({ command: commandOf('gitlab'), client, answers, runner });

    expect(done).toMatchObject({ code: 5, output: 'quit\nterminated\n', pauses: ['20'] });
  });

  test.each<[of: RunnerProvider, started: RegExp, secret: string, known: unknown[]]>([
    [
      'jenkins',
      /\/jenkins-agent $/,
      'secret-of-the-node',
      [
        'JENKINS_URL=https://jenkins.example.com/ci',
        'JENKINS_AGENT_NAME=davit-0a1b2c3d-jenkins-5-7-1',
        'JENKINS_WEB_SOCKET=true',
        'REMOTING_OPTS=-noReconnectAfter 1d ',
        expect.stringMatching(/^JENKINS_SECRET=@.*\/secret$/),
      ],
    ],
    [
      'buildkite',
      /\/buildkite-agent start --config \/\S+\/agent\.cfg$/,
      'token="token-of-the-agent"',
      [
        'BUILDKITE_AGENT_ENDPOINT=https://agent.buildkite.com/v3',
        'BUILDKITE_AGENT_ACQUIRE_JOB=ec85849d-bba3-4abc-9303-1445d06943ff',
        'BUILDKITE_AGENT_NAME=davit-0a1b2c3d-buildkite-5-7-1',
        'BUILDKITE_AGENT_TAGS=queue=default,os=linux',
      ],
    ],
  ])('lets the agent of %s read its secret from a pipe, once, and keeps it out of the environment', async (...row) => {
    const [provider, command, secret, known] = row;
    const done = await run(provider, client, [good(provider)]);

    const [started, ...rest] = done.output.split('\0');
    const [words = ''] = /[\w-]+-of-the-\w+/.exec(secret) ?? [];
    expect(done).toMatchObject({ code: 0, errors: '' });
    expect(started).toMatch(command);
    expect(rest).toEqual(expect.arrayContaining(known));
    expect(rest.filter((part) => part.includes(words))).toEqual([secret]);
    expect(rest.join('\n')).not.toContain('credential-of-the-agent');
  });

  test("starts Forgejo's runner for one job, whose token it reads from a pipe, once, and for no other process", async () => {
    const done = await run('forgejo', client, [good('forgejo')]);

    const [started = '', ...rest] = done.output.split('\0');
    const [, ...words] = started.split(' ');
    expect(done).toMatchObject({ code: 0, errors: '' });
    expect(started).toMatch(/^\S*\/forgejo-runner one-job --wait /);
    expect(words.slice(2)).toEqual([
      '--url',
      'https://forgejo.example.com',
      '--uuid',
      'ec85849d-bba3-4abc-9303-1445d06943ff',
      '--token-url',
      expect.stringMatching(/^file:\/.*\/token$/),
      '--handle',
      '1c0c4b2e-3f8e-4d2e-9f6c-0a1b2c3d4e5f',
      '--label',
      'linux:host',
      '--label',
      'davit/cpu=4:host',
      '--label',
      '*:host',
    ]);
    expect(rest.filter((part) => part.includes('token-of-the-runner'))).toEqual(['token-of-the-runner']);
    expect(rest.join('\n')).not.toMatch(/FORGEJO_|IFS=|credential-of-the-agent/);
  });

  test.each([
    { provider: 'gitlab', path: 'gitlab-runner', ended: 0, code: 0 },
    { provider: 'gitlab', path: 'gitlab-runner', ended: 3, code: 3 },
    { provider: 'buildkite', path: 'buildkite-agent', ended: 27, code: 0 },
    { provider: 'buildkite', path: 'buildkite-agent', ended: 3, code: 3 },
  ] as const)('ends with $code when $path ends with $ended', async ({ provider, path, ended, code }) => {
    const runner = { path, script: `#!/bin/sh\nexit ${ended}\n` };
    const command = commandOf(provider);

    expect(await runPreset({ command, client, answers: [good(provider)], runner })).toMatchObject({ code });
  });

  test('asks again after the time in the answer, or a short one', async () => {
    const answers = [notYet, { status: 503 }, { ...notYet, headers: { 'Retry-After': '86400' } }, good('github')];

    const done = await run('github', client, answers);

    expect(done).toMatchObject({ code: 0, pauses: ['7', '2', '2'], errors: 'davit: not yet: 503\n' });
    expect(startedBy(done).started).toMatch(/run\.sh/);
  });

  test.each([
    { what: "a proxy's page", answer: { status: 200, body: '<html>HTTP/1.1 410; exit 4</html>' } },
    { what: 'an empty answer', answer: { status: 200, body: '' } },
    { what: 'a failure', answer: { status: 500, body: 'exit 4' } },
    {
      what: 'half an answer',
      answer: { ...good('github'), body: good('github').body?.slice(0, -4) ?? '', isCut: true },
    },
    { what: 'another status', answer: { status: 404, body: problem } },
  ])('evaluates no part of $what, and asks again', async ({ answer }) => {
    const done = await run('github', client, [answer, good('github')]);

    expect(done).toMatchObject({ code: 0, pauses: ['2'] });
    expect(startedBy(done).file).toContain('key-of-the-runner');
  });

  test('asks again until it gets an answer', async () => {
    const done = await run('github', client, [good('github')], true);

    expect(done.code).toBe(0);
    expect(done.errors).toMatch(/^davit: not yet: no answer: .*(refused|connect)/);
    expect(done.pauses.length).toBeGreaterThan(0);
    expect(startedBy(done).started).toMatch(/run\.sh/);
  });

  test.each([
    { status: 410, code: 0, errors: 'davit: not yet: 503\ndavit: the launch is over\n' },
    { status: 401, code: 1, errors: 'davit: not yet: 503\ndavit: the credential is not accepted\n' },
  ])('exits with $code for the answer $status, and starts no runner', async ({ status, code, errors }) => {
    const done = await run('github', client, [notYet, { status, body: problem }]);

    expect(done).toMatchObject({ code, errors, output: '' });
    expect(done.requests).toHaveLength(2);
  });
});

test('a registration that is not in the form of GitHub starts no runner, and says so', async () => {
  const answer = tokenAnswer({ query: { as: 'env' }, headers: {} }, token, {
    ACTIONS_RUNNER_INPUT_JITCONFIG: base64('{"other":"form"}'),
  });

  const done = await run('github', 'curl', [{ status: 200, headers: answer.headers, body: answer.body ?? '' }]);

  expect(done).toMatchObject({ code: 1, output: '', errors: "davit: GitHub's answer is no runner's configuration\n" });
});

test('a container with neither curl nor wget reports that', async () => {
  const done = await run('github', undefined, [good('github')]);

  expect(done).toMatchObject({ code: 127, errors: 'davit: the image has neither curl nor wget\n', output: '' });
});

describe('a preset', () => {
  test("uses the profile's own command, arguments and image instead", () => {
    const own = { name: 'agent', image: 'registry.example/runner:1', command: ['/start'], args: ['--now'] };

    expect(withPreset('gitea', 'agent', { spec: { containers: [own] } })).toEqual({ spec: { containers: [own] } });
  });

  test('does not change an agent that connects in an init container', () => {
    const spec = {
      initContainers: [{ name: 'connect', image: 'registry.example/curl:1' }],
      containers: [{ name: 'runner', image: 'registry.example/runner:1' }],
    };

    expect(withPreset('gitea', 'connect', { spec })).toEqual({ spec });
  });
});

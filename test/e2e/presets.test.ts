import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../core/config/config.ts';
import { apiLaunchId } from '../../core/launch/names.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const shell = { image: 'davit.dev/shell' };
let directory: string;
let davit: TestRuntime;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-presets-'));
  const runner = join(directory, 'act_runner');
  await writeFile(
    runner,
    `#!/bin/sh\ncat .runner >${directory}/started\nenv >${directory}/environment\nexec sleep 3600\n`,
  );
  await chmod(runner, 0o755);
  davit = await startTestRuntime({
    changeConfig: withRunners,
    sandbox: { images: { [shell.image]: { command: ['false'] } } },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Adds a profile of five lines with the path of its program, and one whose agent has no shell. */
function withRunners(config: Config): Config {
  const path = [{ name: 'PATH', value: `${directory}:/usr/bin:/bin` }];
  const common = { labels: ['any'], clusters: ['sandbox'], namespace: 'davit-agents', runner: 'gitea' };
  const connect = {
    name: 'connect',
    ...shell,
    env: [...path, { name: 'SHARED', value: directory }],
    command: ['sh', '-c', handOver],
  };
  return Config.parse({
    ...config,
    profiles: [
      ...config.profiles,
      { ...common, name: 'preset', template: { spec: { containers: [{ name: 'agent', ...shell, env: path }] } } },
      {
        ...common,
        name: 'no-shell',
        agentContainer: 'connect',
        template: {
          spec: {
            initContainers: [connect],
            containers: [{ name: 'agent', ...shell, command: ['tail', '-f', `${directory}/host`] }],
          },
        },
      },
    ],
  });
}

const handOver = `until answer=$(curl --silent --fail --retry 100 --request POST --header "Authorization: Bearer $DAVIT_CREDENTIAL" \\
  "$DAVIT_CONNECT_URL?as=env"); do sleep 1; done
eval "$answer"
printf '%s' "$DAVIT_HOST" >"$SHARED/host"
`;

async function launched(profile: string): Promise<string> {
  const launchId = apiLaunchId(profile);
  await davit.launches.post({ profile, jobId: profile });
  expect((await davit.launches.until(launchId, 'connected', 'failed', 'cleaning')).status).toBe('connected');
  return launchId;
}

test('a profile that names its runner and no command connects, and starts the runner', async () => {
  await launched('preset');

  expect(await fileOf('started')).toContain('"ephemeral":true');
  expect(await fileOf('environment')).not.toMatch(/DAVIT_CREDENTIAL|DAVIT_CONNECT_URL/);
});

test('an agent without a shell gets the answer that its init container received', async () => {
  await launched('no-shell');

  expect(await fileOf('host')).toMatch(/^127\./);
});

async function fileOf(name: string): Promise<string> {
  for (;;) {
    const text = await readFile(join(directory, name), 'utf8').catch(() => '');
    if (text !== '') return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

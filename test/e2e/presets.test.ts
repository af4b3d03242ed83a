import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../core/config/config.ts';
import { apiLaunchId } from '../../core/launch/names.ts';
import { eventually } from '../support/eventually.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const shell = { image: 'davit.dev/shell' };
let directory: string;
let davit: TestRuntime;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-presets-'));
  davit = await startTestRuntime({
    changeConfig: withoutShell,
    sandbox: { images: { [shell.image]: { command: ['false'] } } },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Adds a profile whose agent has no shell. */
function withoutShell(config: Config): Config {
  const env = [
    { name: 'PATH', value: '/usr/bin:/bin' },
    { name: 'SHARED', value: directory },
  ];
  const connect = { name: 'connect', ...shell, env, command: ['sh', '-c', handOver] };
  const agent = { name: 'agent', ...shell, command: ['tail', '-f', `${directory}/host`] };
  const profile = {
    name: 'no-shell',
    labels: ['any'],
    clusters: ['sandbox'],
    namespace: 'davit-agents',
    runner: 'gitea',
    agentContainer: 'connect',
    template: { spec: { initContainers: [connect], containers: [agent] } },
  };
  return Config.parse({ ...config, profiles: [...config.profiles, profile] });
}

const handOver = `until answer=$(curl --silent --fail --retry 100 --request POST --header "Authorization: Bearer $DAVIT_CREDENTIAL" \\
  "$DAVIT_CONNECT_URL?as=env"); do sleep 1; done
eval "$answer"
printf '%s' "$DAVIT_HOST" >"$SHARED/host"
`;

test('an agent without a shell gets the answer that its init container received', async () => {
  const launchId = apiLaunchId('no-shell');
  await davit.launches.post({ profile: 'no-shell', jobId: 'no-shell' });

  const { status } = await davit.launches.until(launchId, 'connected', 'failed', 'cleaning');

  expect(status).toBe('connected');
  await eventually(async () => {
    expect(await readFile(join(directory, 'host'), 'utf8')).toMatch(/^127\./);
  });
});

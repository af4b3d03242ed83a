import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentNameOf, apiLaunchId, type LaunchId } from '../../../../core/launch/names.ts';
import { runProcess } from '../../../../scripts/run-process.ts';
import { namespace } from '../credentials.ts';
import { createAccount } from '../davit-account.ts';
import { root } from '../run.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const cluster = await openTestCluster();

let davit: DavitOnCluster;
let directory: string;
let launchId: LaunchId;
/** A person who may run commands in the agents' namespace, as docs/guides/debugging.md grants it. */
let operator: string;
/** A person who may only look. */
let reader: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-exec-'));
  davit = await startDavit(cluster);
  const look = { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list', 'watch'] };
  const enter = { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] };
  operator = await kubeconfigFileOf('exec-debugger', [look, enter]);
  reader = await kubeconfigFileOf('exec-reader', [look]);
  launchId = await davit.launches.request({ profile: 'linux', jobId: 'exec', env: { GREETING: 'hello' } });
  await davit.ci.registrationOf(agentNameOf(apiLaunchId('exec')), AbortSignal.timeout(90_000));
}, 180_000);
afterAll(async () => {
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated', 'failed');
  await davit[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Makes an account with these rights in the agents' namespace. @returns the path of its kubeconfig */
async function kubeconfigFileOf(name: string, rules: object[]): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, await createAccount(cluster, davit.api, { name, namespace }, rules));
  return file;
}

/** Runs the command line as a person does. */
function davitOf(kubeconfig: string, command: string, ...args: string[]) {
  const { url, launchesToken } = davit.runtime;
  const own = ['--url', url, '--token', launchesToken, '--kubeconfig', kubeconfig];
  return runProcess(process.execPath, ['cli/davit.ts', command, launchId, ...own, ...args], { cwd: root });
}

test("a command runs in the agent's container, with the agent's environment", async () => {
  const { exitCode, output } = await davitOf(operator, 'exec', '--', 'sh', '-c', 'echo "$GREETING $DAVIT_AGENT_NAME"');

  expect({ exitCode, output }).toEqual({ exitCode: 0, output: `hello ${agentNameOf(launchId)}\n` });
});

test('a command that fails says with which exit code, and so does davit', async () => {
  const { exitCode, output } = await davitOf(operator, 'exec', '--', 'sh', '-c', 'echo no disk >&2; exit 3');

  expect(exitCode).toBe(1);
  expect(output).toMatch(/^no disk\n[^]*command-failed: the command ended with exit code 3/);
});

test("a person without the right gets the cluster's refusal, and the right that it needs", async () => {
  const { exitCode, output } = await davitOf(reader, 'exec', '--', 'true');

  expect(exitCode).not.toBe(0);
  expect(output).toMatch(/exec-refused: the cluster opens no shell: [^]*403[^]*create pods\/exec/);
});

test('a person who may look reads the log', async () => {
  const { exitCode, output } = await davitOf(reader, 'logs');

  expect(output).not.toMatch(/refused/);
  expect(exitCode).toBe(0);
});

test('a container that the Pod does not have is named, with those that it has', async () => {
  const { exitCode, output } = await davitOf(operator, 'exec', '--container', 'nope', '--', 'true');

  expect(exitCode).not.toBe(0);
  expect(output).toMatch(/container-unknown: the Pod has no container nope; it has agent/);
});

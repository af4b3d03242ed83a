import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DavitProcess, startDavitProcess, startProgram } from '../../e2e/davit-process.ts';
import { type AgentTracker, startAgentTracker } from './agent-tracker.ts';
import { readLeft } from './read-left.ts';

let directory: string;
let args: string[];
let agents: AgentTracker;
/** The running runtime. */
let davit: DavitProcess;
const asked: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'restarted-'));
  agents = await startAgentTracker();
  const config = join(directory, 'davit.yaml');
  await agents.writeConfig(config);
  args = ['--state', join(directory, 'state'), '--config', config, '--listen', '127.0.0.1:0'];
  davit = await startDavitProcess(args);
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await agents.untilOnlyRunning();
  await agents[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const over = ['connected', 'failed', 'terminated'] as const;

test('only this user can read the files of a run', async () => {
  const state = join(directory, 'state');
  const names = await readdir(state, { recursive: true });
  const modes = await Promise.all(
    ['.', ...names].map(async (name) => [name, (await stat(join(state, name))).mode & 0o77]),
  );

  expect(names).toContain('launches-token');
  expect(modes.filter(([, othersMay]) => othersMay !== 0)).toEqual([]);
});

test('a second runtime on the same directory is refused, and does no harm', async () => {
  const kubeconfig = join(directory, 'state', 'kubeconfig');
  const before = await readFile(kubeconfig, 'utf8');

  const { exitCode, stderr } = await startProgram('local/main.ts', args).ended;

  expect(exitCode).toBe(2);
  expect(stderr).toEqual([expect.stringMatching(/^another davit uses .*state/)]);
  expect(await readFile(kubeconfig, 'utf8')).toBe(before);
  expect((await davit.launches.get('/launches')).status).toBe(200);
});

test('no launch is lost when davit is killed, and no agent survives', async () => {
  const connected = await launch('prompt', 'connected');
  const awaited = await launch('held', 'PublishToken');
  const placing = await launch('nowhere', 'PollHostIP');
  const ending = await launch('lasting', 'PublishToken');
  await agents.untilRunning(`davit-${ending}`);
  await davit.launches.end(ending);
  const starting = await Promise.all(['1', '2', '3', '4'].map((job) => ask('prompt', job)));
  await davit.detail(new RegExp(` ${starting[3]} CreateService$`));

  await davit.kill('SIGKILL');
  await agents.untilOnlyRunning();
  agents.release();
  davit = await startDavitProcess(args);

  const wasConnected = await davit.launches.until(connected, 'terminated', 'failed');
  const found = await Promise.all(
    [awaited, ending, ...starting].map((launchId) => davit.launches.until(launchId, ...over)),
  );
  const [wasAwaited, wasEnding, ...wereStarting] = found;
  // The cluster is new: addresses that the agent got before are no longer valid.
  expect([undefined, 'TokenConflict']).toContain(wasAwaited?.ending?.code);
  // Its Pod went with the old cluster, so the next sweep ends it.
  expect(wasConnected.ending).toMatchObject({ outcome: 'terminated', message: "the agent's Pod is gone" });
  expect(wasEnding?.ending).toMatchObject({ outcome: 'terminated', by: 'DELETE /launches' });
  for (const { ending: reason } of wereStarting) expect([undefined, 'TokenConflict']).toContain(reason?.code);
  expect(await davit.launches.show(placing)).toMatchObject({ status: 'launching' });
});

test('a launch continues after Ctrl-C, which leaves no process behind', async () => {
  const launchId = await launch('prompt', 'CreatePod');

  const { exitCode, stdout, stderr } = await davit.kill('SIGINT');
  await agents.untilOnlyRunning();
  davit = await startDavitProcess(args);
  const { ending } = await davit.launches.until(launchId, ...over);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  // An agent may ask while the functions stop, and is answered after that line.
  expect(stdout).toContain('SIGINT: stopping; the next start continues the launches that are under way');
  expect([undefined, 'TokenConflict']).toContain(ending?.code);
});

test('in the end every launch ends, and nothing is left', async () => {
  await Promise.all(asked.map((launchId) => davit.launches.end(launchId)));
  await Promise.all(asked.map((launchId) => davit.launches.until(launchId, 'terminated', 'failed')));
  await agents.untilOnlyRunning();

  expect(asked).toHaveLength(9);
  expect(await readLeft(join(directory, 'state', 'kubeconfig'))).toEqual([]);
});

/** Requests a launch and waits until davit reports this stage. */
async function launch(profile: string, stage: string): Promise<string> {
  const launchId = await ask(profile, stage);
  await davit.detail(new RegExp(` ${launchId} ${stage}$`));
  return launchId;
}

async function ask(profile: string, job: string): Promise<string> {
  const launchId = await davit.launches.request({ profile, jobId: `${profile} ${job}` });
  asked.push(launchId);
  return launchId;
}

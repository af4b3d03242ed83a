import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type DavitProcess, startDavitProcess, startProgram } from './davit-process.ts';
import { readLeft } from './read-left.ts';
import { type RollCall, startRollCall } from './roll-call.ts';

jest.setTimeout(180_000);

let directory: string;
let args: string[];
let rollCall: RollCall;
/** The running runtime. */
let davit: DavitProcess;
const asked: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'restarted-'));
  rollCall = await startRollCall();
  const config = join(directory, 'davit.yaml');
  await rollCall.writeConfig(config);
  args = ['--state', join(directory, 'state'), '--config', config, '--listen', '127.0.0.1:0'];
  davit = await startDavitProcess(args);
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await rollCall.onlyLeft();
  await rollCall[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const over = ['connected', 'failed', 'terminated'] as const;

test('what a run keeps is for this user alone', async () => {
  const state = join(directory, 'state');
  const names = await readdir(state, { recursive: true });
  const modes = await Promise.all(
    ['.', ...names].map(async (name) => [name, (await stat(join(state, name))).mode & 0o77]),
  );

  expect(names).toContain('launches-token');
  expect(modes.filter(([, othersMay]) => othersMay !== 0)).toEqual([]);
});

test('a second runtime on the same directory is refused, and harms nothing', async () => {
  const kubeconfig = join(directory, 'state', 'kubeconfig');
  const before = await readFile(kubeconfig, 'utf8');

  const { exitCode, stderr } = await startProgram('local/main.ts', args).ended;

  expect(exitCode).toBe(2);
  expect(stderr).toEqual([expect.stringMatching(/^another davit runtime \(pid \d+\) uses .*state/)]);
  expect(await readFile(kubeconfig, 'utf8')).toBe(before);
  expect((await davit.launches.get('/launches')).status).toBe(200);
});

test('no launch is lost when davit is killed, and no agent lives on', async () => {
  const connected = await launch('prompt', 'connected');
  const awaited = await launch('held', 'AwaitAgent');
  const placing = await launch('nowhere', 'PollHostIP');
  const ending = await launch('lasting', 'AwaitAgent');
  await rollCall.comes(`davit-${ending}`);
  await davit.launches.end(ending);
  const starting = await Promise.all(['1', '2', '3', '4'].map((job) => ask('prompt', job)));
  await davit.detail(new RegExp(` ${starting[3]} CreateService$`));

  await davit.kill('SIGKILL');
  await rollCall.onlyLeft();
  rollCall.release();
  davit = await startDavitProcess(args);

  const found = await Promise.all(
    [connected, awaited, ending, ...starting].map((launchId) => davit.launches.until(launchId, ...over)),
  );
  const [wasConnected, wasAwaited, wasEnding, ...wereStarting] = found;
  // The cluster is new: an address that this agent was given before is not valid any more.
  expect([undefined, 'TokenConflict']).toContain(wasAwaited?.ending?.code);
  expect(wasConnected?.status).toBe('connected');
  expect(wasEnding?.ending).toMatchObject({ outcome: 'terminated', by: 'DELETE /launches' });
  for (const { ending: reason } of wereStarting) expect([undefined, 'TokenConflict']).toContain(reason?.code);
  expect(await davit.launches.show(placing)).toMatchObject({ status: 'launching' });
});

test('a launch goes on after Ctrl-C, which leaves no process behind', async () => {
  const launchId = await launch('prompt', 'CreatePod');

  const { exitCode, stdout, stderr } = await davit.kill('SIGINT');
  await rollCall.onlyLeft();
  davit = await startDavitProcess(args);
  const { ending } = await davit.launches.until(launchId, ...over);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  expect(stdout.at(-1)).toBe('SIGINT: stopping; launches that are under way go on at the next start');
  expect([undefined, 'TokenConflict']).toContain(ending?.code);
});

test('in the end every launch can be ended, and nothing is left', async () => {
  await Promise.all(asked.map((launchId) => davit.launches.end(launchId)));
  await Promise.all(asked.map((launchId) => davit.launches.until(launchId, 'terminated', 'failed')));
  await rollCall.onlyLeft();

  expect(asked).toHaveLength(9);
  expect(await readLeft(join(directory, 'state', 'kubeconfig'))).toEqual([]);
});

/** Asks for a launch and waits until davit reports that stage. */
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

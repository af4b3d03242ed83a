import { mkdtemp, readFile, rm } from 'node:fs/promises';
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
/** The runtime that runs at the moment. */
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

test('a second runtime on the same directory is refused, and harms nothing', async () => {
  const kubeconfig = join(directory, 'state', 'kubeconfig');
  const before = await readFile(kubeconfig, 'utf8');

  const { exitCode, stderr } = await startProgram('local/main.ts', args).ended;

  expect(exitCode).toBe(2);
  expect(stderr).toEqual([expect.stringMatching(/^another davit runtime \(pid \d+\) uses .*state/)]);
  expect(await readFile(kubeconfig, 'utf8')).toBe(before);
  expect((await fetch(`${davit.url}/launches`)).status).toBe(200);
});

test('no launch is lost when davit is killed, and no agent lives on', async () => {
  const connected = await launch('prompt', 'connected');
  const awaited = await launch('held', 'AwaitAgent');
  const placing = await launch('nowhere', 'PollHostIP');
  const ending = await launch('lasting', 'AwaitAgent');
  await rollCall.comes(`davit-${ending}`);
  await davit.launches.end(ending);
  const starting = await Promise.all(['1', '2', '3', '4'].map((job) => ask('prompt', job)));
  await davit.says(new RegExp(` ${starting[3]} CreateService$`));

  await davit.kill('SIGKILL');
  await rollCall.onlyLeft();
  rollCall.release();
  davit = await startDavitProcess(args);

  const found = await Promise.all(
    [connected, awaited, ending, ...starting].map((launchId) => davit.launches.until(launchId, ...over)),
  );
  const [wasConnected, wasAwaited, wasEnding, ...wereStarting] = found;
  // The cluster is new, and the address that this agent may have been told is no more.
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

/** Asks for a launch and waits until davit says that it is there. */
async function launch(profile: string, stage: string): Promise<string> {
  const launchId = await ask(profile, stage);
  await davit.says(new RegExp(` ${launchId} ${stage}$`));
  return launchId;
}

async function ask(profile: string, job: string): Promise<string> {
  const launchId = await davit.launches.request({ profile, jobId: `${profile} ${job}` });
  asked.push(launchId);
  return launchId;
}

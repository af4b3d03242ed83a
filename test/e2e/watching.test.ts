import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type LifecycleEventType, lifecycleDetails } from '../../functions/domain/lifecycle-events.ts';
import { agentNameOf, apiLaunchId } from '../../functions/domain/names.ts';
import type { BusEvent } from '../../local/eventbridge/eventbridge-server.ts';
import { type EmfPoint, readMetrics, untilMetrics } from '../support/emf-lines.ts';
import { untilExecutionEnds, when } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { type Job, newJob, registration } from './jobs.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let job: Job;
const failed = apiLaunchId('unschedulable');
const terminated = apiLaunchId('deleted');
const relaunched = apiLaunchId('evicted');

/** One launch of each outcome. */
beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: (config) =>
      withProfiles(config, {
        unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 1 } },
        idle: { agent: idle },
      }),
  });
  job = newJob();
  await Promise.all([
    runJob(),
    runUntil('unschedulable', failed, 'leaves CreatePod'),
    runUntil('deleted', terminated, 'enters AwaitAgent').then(() => davit.launches.end(terminated)),
    runUntil('evicted', relaunched, 'enters AwaitAgent')
      .then(evict)
      .then(() => davit.launches.end(relaunched)),
  ]);
  for (const launchId of [job.launchId, failed, terminated, relaunched]) {
    await davit.launches.until(launchId, 'failed', 'terminated');
    await untilExecutionEnds(davit.runtime, launchId);
  }
  await davit.runtime.announced();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

/** A job whose webhook comes twice, whose agent connects, and that is completed. */
async function runJob(): Promise<void> {
  await davit.github.deliver(job, 'queued');
  await davit.github.deliver(job, 'queued');
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
  await davit.github.deliver(job, 'completed');
}

async function runUntil(jobId: string, launchId: string, moment: 'leaves CreatePod' | 'enters AwaitAgent') {
  const come = new Promise<void>((resolve) => when(davit.runtime, launchId, moment, resolve));
  await davit.launches.request({ profile: jobId === 'unschedulable' ? jobId : 'idle', jobId });
  await come;
}

/** Takes the Pod as a kubelet does that is short of memory, and waits for the next generation to be awaited. */
async function evict(): Promise<void> {
  const pod = davit.cluster.sandbox.store.get('pods', 'davit-agents', agentNameOf(relaunched));
  if (pod === undefined) throw new Error('there is no Pod to evict');
  const again = new Promise<void>((resolve) => when(davit.runtime, relaunched, 'enters AwaitAgent', resolve));
  await davit.cluster.sandbox.node.evict(pod);
  await again;
}

function eventsOf(launchId: string): readonly BusEvent[] {
  return davit.runtime.eventBus.events.filter(({ detail }) => detail['launchId'] === launchId);
}

/** As a listener has them that keeps the ids that it has seen, in the order in which they happened. */
function toldOf(launchId: string): string[] {
  const byId = new Map(eventsOf(launchId).map((event) => [String(event.detail['id']), event]));
  return [...byId.values()]
    .toSorted((one, other) => one.time.localeCompare(other.time))
    .map(({ detail }) => String(detail['id']).replace(`${launchId}/`, ''));
}

describe('the events of a launch', () => {
  test('that works, and whose job is completed', () => {
    expect(toldOf(job.launchId)).toEqual([
      '1/LaunchRequested',
      '1/AgentReady',
      '1/AgentConnected',
      '1/LaunchTerminated',
      '1/LaunchCleaned',
    ]);
  });

  test('that fails', () => {
    expect(toldOf(failed)).toEqual(['1/LaunchRequested', '1/LaunchFailed', '1/LaunchCleaned']);
    expect(eventsOf(failed).find((event) => event['detail-type'] === 'LaunchFailed')?.detail).toMatchObject({
      code: 'PlacementDeadlineExceeded',
      by: 'the state machine',
      connected: false,
      profile: 'unschedulable',
    });
  });

  test('that is deleted before its agent has connected', () => {
    expect(toldOf(terminated)).toEqual(['1/LaunchRequested', '1/AgentReady', '1/LaunchTerminated', '1/LaunchCleaned']);
  });

  test('that is launched again, each generation by its own name', () => {
    expect(toldOf(relaunched)).toEqual([
      '1/LaunchRequested',
      '1/AgentReady',
      '2/LaunchRelaunched',
      '2/AgentReady',
      '2/LaunchTerminated',
      '2/LaunchCleaned',
    ]);
    const names = eventsOf(relaunched).map(({ detail }) => detail['agentName']);
    expect(new Set(names)).toEqual(new Set([agentNameOf(relaunched), agentNameOf(relaunched, 2)]));
  });

  test('are as they are documented', () => {
    const isLifecycle = (type: string): type is LifecycleEventType => Object.hasOwn(lifecycleDetails, type);

    for (const { source, detail, 'detail-type': type } of davit.runtime.eventBus.events) {
      expect(source).toBe('davit.launch');
      expect(isLifecycle(type) && lifecycleDetails[type].parse(detail)).toEqual({ ...detail });
    }
  });
});

const where = (profile: string) => ({ profile, cluster: 'sandbox' });
const all = (name: string, ...dimensions: object[]) => ({ functionName: 'announce', name, dimensions });

/** The metrics of a launch that announce and one door have counted, as soon as there are so many. */
async function countedOf(launchId: string, count: number): Promise<Omit<EmfPoint, 'value' | 'properties'>[]> {
  const isMeant = ({ functionName, properties }: EmfPoint) =>
    properties['launchId'] === launchId && ['announce', 'webhook', 'launches'].includes(functionName);
  const points = await untilMetrics(davit.stateDirectory, isMeant, count);
  return points.map(({ functionName, name, dimensions }) => ({ functionName, name, dimensions }));
}

describe('exactly these metrics are counted of a launch', () => {
  test('that works, and whose job is completed', async () => {
    expect(await countedOf(job.launchId, 9)).toEqual([
      all('LaunchesRequested', {}, where('linux')),
      all('TimeToAgent', {}, where('linux')),
      all('Launches', { outcome: 'connected' }, { outcome: 'connected', ...where('linux') }),
      all('AgentsEnded', { outcome: 'terminated' }),
      all('CleanUpTime', {}),
      { functionName: 'webhook', name: 'HttpAnswers', dimensions: [{ function: 'webhook', status: '202' }] },
      { functionName: 'webhook', name: 'HttpAnswers', dimensions: [{ function: 'webhook', status: '200' }] },
      { functionName: 'webhook', name: 'Duplicates', dimensions: [{ function: 'webhook' }] },
      { functionName: 'webhook', name: 'HttpAnswers', dimensions: [{ function: 'webhook', status: '202' }] },
    ]);
  });

  test('that fails', async () => {
    const outcome = 'failed';
    const code = 'PlacementDeadlineExceeded';

    expect(await countedOf(failed, 4)).toEqual([
      all('LaunchesRequested', {}, where('unschedulable')),
      all('Launches', { outcome }, { outcome, code }, { outcome, ...where('unschedulable') }),
      all('CleanUpTime', {}),
      { functionName: 'launches', name: 'HttpAnswers', dimensions: [{ function: 'launches', status: '202' }] },
    ]);
  });

  test.each([
    { how: 'that is deleted', launchId: terminated, relaunches: [] },
    {
      how: 'that is launched again, and deleted',
      launchId: relaunched,
      relaunches: [all('Relaunches', {}, { code: 'PodEvicted' })],
    },
  ])('$how', async ({ launchId, relaunches }) => {
    const outcome = 'terminated';

    const counted = await countedOf(launchId, 5 + relaunches.length);

    expect(counted.filter(({ functionName }) => functionName === 'announce')).toEqual([
      all('LaunchesRequested', {}, where('idle')),
      ...relaunches,
      all('Launches', { outcome }, { outcome, code: 'Terminated' }, { outcome, ...where('idle') }),
      all('CleanUpTime', {}),
    ]);
  });
});

test('each step is timed once, when it is done', async () => {
  const isStepTime = ({ name, properties }: EmfPoint) => name === 'StepTime' && properties['launchId'] === job.launchId;

  const points = await untilMetrics(davit.stateDirectory, isStepTime, 6);

  expect(points.map(({ dimensions }) => dimensions)).toEqual(
    ['AwaitAgent', 'CreatePod', 'CreateService', 'PollHostIP', 'PollNodePort', 'PublishToken'].map((step) => [
      { step },
    ]),
  );
});

test('a launch that waits says for what, and no error is one that davit has no code for', async () => {
  const points = await readMetrics(davit.stateDirectory);

  const waits = points.filter(({ name, properties }) => name === 'Waits' && properties['launchId'] === failed);
  expect(waits.map(({ dimensions }) => dimensions)).not.toContainEqual([{ code: 'ConnectPending' }]);
  expect(points.filter(({ name }) => name === 'Defects' || name === 'EventsNotSent')).toEqual([]);
});

test('a connect is counted by its answer', async () => {
  const isLetIn = ({ functionName, name, properties }: EmfPoint) =>
    functionName === 'connect' && name === 'HttpAnswers' && properties['agentName'] === job.agentName;

  const answers = (await untilMetrics(davit.stateDirectory, isLetIn, 1)).map(({ dimensions }) => dimensions);

  expect(answers).toContainEqual([{ function: 'connect', status: '200' }]);
});

test('each step’s lines have the ids by which its launch is found', async () => {
  const lines = (await readFile(join(davit.stateDirectory, 'logs', 'create-pod.log'), 'utf8')).trim().split('\n');
  const done = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'CreatePod done');

  expect(done.find(({ launchId }) => launchId === job.launchId)).toMatchObject({
    service: 'davit-local',
    step: 'CreatePod',
    agentName: job.agentName,
    cluster: 'sandbox',
    profile: 'linux',
    executionArn: expect.stringMatching(new RegExp(`:execution:davit-launch:${job.launchId}$`)),
    function_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

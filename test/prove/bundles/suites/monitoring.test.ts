import { type LifecycleEventType, lifecycleDetails } from '../../../../core/events/lifecycle-events.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import type { BusEvent } from '../../../../local/runtime/event-bus.ts';
import type { Job } from '../../../e2e/jobs.ts';
import { failed, relaunched, startWatchedRun, terminated } from '../../../e2e/watched-run.ts';
import { type EmfPoint, readMetrics, untilMetrics } from '../../../support/emf-lines.ts';
import { logLines } from '../../../support/log-lines.ts';
import type { AwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { segmentIn, startXrayDaemon, type XrayDaemon } from '../../../support/start-xray-daemon.ts';

const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';

let daemon: XrayDaemon;
let davit: AwsTestRuntime;
let job: Job;
beforeAll(async () => {
  daemon = await startXrayDaemon();
  // Lambda sets each request's trace in the function's environment; here all requests have the same trace.
  const aws = { _X_AMZN_TRACE_ID: traceHeader, AWS_XRAY_DAEMON_ADDRESS: daemon.address };
  ({ davit, job } = await startWatchedRun({ aws }));
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

function eventsOf(launchId: string): readonly BusEvent[] {
  return davit.runtime.eventBus.events.filter(({ detail }) => detail['launchId'] === launchId);
}

/**
 * The ids of a launch's events in the order in which they happened, each once, as a deduplicating listener sees them.
 */
function toldOf(launchId: string): string[] {
  const byId = new Map(eventsOf(launchId).map((event) => [String(event.detail['id']), event]));
  return [...byId.values()]
    .toSorted((one, other) => one.time.localeCompare(other.time))
    .map(({ detail }) => String(detail['id']).replace(`${launchId}/`, ''));
}

describe('the events of a launch', () => {
  test('that works, and whose job completes', () => {
    expect(toldOf(job.launchId)).toEqual([
      '1/LaunchRequested',
      '1/AgentPlaced',
      '1/AgentConnected',
      '1/LaunchTerminated',
      '1/LaunchCleaned',
    ]);
  });

  test('that is relaunched, each generation by its own name', () => {
    expect(toldOf(relaunched)).toEqual([
      '1/LaunchRequested',
      '1/AgentPlaced',
      '2/LaunchRelaunched',
      '2/AgentPlaced',
      '2/LaunchTerminated',
      '2/LaunchCleaned',
    ]);
    const names = eventsOf(relaunched).map(({ detail }) => detail['agentName']);
    expect(new Set(names)).toEqual(new Set([agentNameOf(relaunched), agentNameOf(relaunched, 2)]));
  });

  test('match their documentation', () => {
    const isLifecycle = (type: string): type is LifecycleEventType => Object.hasOwn(lifecycleDetails, type);

    for (const { source, detail, 'detail-type': type } of davit.runtime.eventBus.events) {
      expect(source).toBe('davit.launch');
      expect(isLifecycle(type) && lifecycleDetails[type].parse(detail)).toEqual({ ...detail });
    }
  });
});

const where = (profile: string) => ({ profile, cluster: 'sandbox' });
const all = (name: string, ...dimensions: object[]) => ({ functionName: 'publish-events', name, dimensions });

/** Waits for this many metrics of a launch from publish-events, webhook and launches. */
async function countedOf(
  launchId: string,
  count: number,
): Promise<Pick<EmfPoint, 'functionName' | 'name' | 'dimensions'>[]> {
  const isMeant = ({ functionName, properties }: EmfPoint) =>
    properties['launchId'] === launchId && ['publish-events', 'webhook', 'launches'].includes(functionName);
  const points = await untilMetrics(davit.stateDirectory, isMeant, count);
  return points.map(({ functionName, name, dimensions }) => ({ functionName, name, dimensions }));
}

test('exactly these metrics are counted for a launch that works, and whose job completes', async () => {
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

test('a waiting launch is counted by its reason, and no error lacks a code', async () => {
  const points = await readMetrics(davit.stateDirectory);

  const waits = points.filter(({ name, properties }) => name === 'Waits' && properties['launchId'] === failed);
  expect(waits.map(({ dimensions }) => dimensions)).not.toContainEqual([{ code: 'ConnectPending' }]);
  expect(points.filter(({ name }) => name === 'Defects' || name === 'EventsNotSent')).toEqual([]);
});

describe('each log line about a launch has the ids to find it by', () => {
  const ofJob = async (functionName: string) =>
    (await logLines(davit.stateDirectory, functionName)).filter((line) => JSON.stringify(line).includes(job.launchId));
  const uuid = /^[0-9a-f-]{36}$/;

  test.each(['create-service', 'poll-node-port', 'create-pod', 'poll-host-ip', 'publish-token'])(
    'from %s',
    async (functionName) => {
      const lines = await ofJob(functionName);

      const keys = {
        service: expect.stringMatching(/^davit/i),
        launchId: job.launchId,
        agentName: job.agentName,
        cluster: 'sandbox',
        profile: 'linux',
        executionArn: expect.stringMatching(new RegExp(`:execution:davit-launch:${job.launchId}$`)),
        function_request_id: expect.stringMatching(uuid),
      };
      expect(lines).not.toEqual([]);
      expect(lines).toEqual(lines.map(() => expect.objectContaining(keys)));
    },
  );

  test.each([
    ['webhook', { profile: 'linux', cluster: 'sandbox' }],
    ['connect', {}],
  ])('from %s', async (functionName, subject) => {
    const lines = await ofJob(functionName);

    const keys = {
      ...subject,
      launchId: job.launchId,
      agentName: job.agentName,
      requestId: expect.stringMatching(/./),
      functionRequestId: expect.stringMatching(uuid),
      status: expect.any(Number),
    };
    expect(lines).not.toEqual([]);
    expect(lines).toEqual(lines.map(() => expect.objectContaining(keys)));
  });
});

describe('the trace of a launch', () => {
  test('goes from the webhook that requested the launch to its execution', () => {
    const { input } = davit.runtime.stepFunctions.execution(job.launchId) ?? {};

    expect(JSON.parse(input ?? '')).toMatchObject({ launchId: job.launchId, traceHeader });
  });

  test.each(['webhook', 'create-service', 'poll-node-port', 'create-pod', 'poll-host-ip', 'publish-token'])(
    'is in each line of %s, which names the launch',
    async (functionName) => {
      const lines = await logLines(davit.stateDirectory, functionName);

      const launchId = expect.stringMatching(
        new RegExp(`^(${[job.launchId, failed, terminated, relaunched].join('|')})$`),
      );
      expect(lines).not.toEqual([]);
      expect(lines).toEqual(lines.map(() => expect.objectContaining({ launchId, traceHeader })));
    },
  );

  test('has a segment for the successful connect', async () => {
    const segments = (await daemon.received()).map(segmentIn);

    expect(segments).toMatchObject([
      {
        name: 'davit agent connects',
        trace_id: '1-67891233-abcdef012345678912345678',
        parent_id: '463ac35c9f6413ad',
        annotations: { launchId: job.launchId, agentName: job.agentName },
      },
    ]);
  });
});

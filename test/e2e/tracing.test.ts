import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { logLines } from '../support/log-lines.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { segmentIn, startXrayDaemon, type XrayDaemon } from '../support/start-xray-daemon.ts';
import { type Job, newJob, registration } from './jobs.ts';

jest.setTimeout(120_000);

const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';

let daemon: XrayDaemon;
let davit: TestRuntime;
let job: Job;
beforeAll(async () => {
  daemon = await startXrayDaemon();
  // Lambda sets each request's trace in the function's environment; here all requests have the same trace.
  const aws = { _X_AMZN_TRACE_ID: traceHeader, AWS_XRAY_DAEMON_ADDRESS: daemon.address };
  davit = await startTestRuntime({ aws });
  job = newJob();
  await davit.github.deliver(job, 'queued');
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

test('the execution is given the trace of the webhook that asked for its launch', () => {
  const { input } = davit.runtime.stepFunctions.execution(job.launchId) ?? {};

  expect(JSON.parse(input ?? '')).toMatchObject({ launchId: job.launchId, traceHeader });
});

test.each([
  'webhook',
  'create-service',
  'poll-node-port',
  'create-pod',
  'poll-host-ip',
  'publish-token',
  'await-agent',
])('each line of %s about the launch names its trace', async (functionName) => {
  const lines = await logLines(davit.stateDirectory, functionName);

  expect(lines).not.toEqual([]);
  expect(lines).toEqual(lines.map(() => expect.objectContaining({ launchId: job.launchId, traceHeader })));
});

test("the connect that let the agent in is a segment of the launch's trace", async () => {
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

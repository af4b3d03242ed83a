import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { agentNameOf, apiLaunchId, labelsOf } from '../../functions/domain/names.ts';
import { SweepReported } from '../../functions/domain/sweep-event.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { metricDefinitions } from '../../functions/metrics/metric-definitions.ts';
import { createGithubServer } from '../../local/demo/github-server.ts';
import { type FakeGithub, startGithub } from '../ci/github/start-github.ts';
import { type EmfPoint, readMetrics, untilMetrics } from '../support/emf-lines.ts';
import { localDynamoDb } from '../support/local-dynamo-db.ts';
import { logLines } from '../support/log-lines.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';
import { newJob, registration } from './jobs.ts';
import {
  exampleOwner,
  exampleRepository,
  joining,
  joiningProfile,
  reconcileOnce,
  secretsOf,
  withGithub,
} from './joining.ts';
import { startWatchedRun, terminated } from './watched-run.ts';

jest.setTimeout(180_000);

let davit: TestRuntime;
let github: FakeGithub;
const delayed = apiLaunchId('delayed');
const broken = 'api-broken';

/** A run with every kind of trouble that davit counts. */
beforeAll(async () => {
  github = await startGithub([exampleOwner]);
  ({ davit } = await startWatchedRun({
    changeConfig: (config) => ({
      ...withGithub(config, github),
      profiles: [...config.profiles, joiningProfile(config)],
    }),
    secrets: secretsOf(github),
  }));
  putService(terminated);
  putService('api-nobodys');
  await sweep();
  await launchDelayed();
  await loseObserver();
  davit.cluster.sandbox.faults.add({ match: { verb: 'list' }, effect: { kind: 'drop', when: 'before' } });
  await sweep();
  davit.cluster.sandbox.faults.clear();
  await loseWebhook();
  await putBrokenRecord();
  await davit.runtime.eventsPublished();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await github[Symbol.asyncDispose]();
});

/** Creates a Service of a launch, as a process that died right afterwards leaves it. */
function putService(launchId: string): void {
  const name = agentNameOf(launchId);
  davit.cluster.sandbox.store.create('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'davit-agents', labels: labelsOf({ launchId, agentName: name, profile: 'idle' }) },
    spec: { type: 'NodePort', ports: [{ port: 8811 }] },
  });
}

async function sweep(): Promise<void> {
  const swept = await davit.runtime.functions.invoke('sweep' satisfies FunctionName, {});
  if (swept.functionError !== undefined) throw new Error(JSON.stringify(swept.payload));
}

/** Runs a launch that waits for a quota, and whose cluster is unavailable for a moment. */
async function launchDelayed(): Promise<void> {
  const { faults } = davit.cluster.sandbox;
  const message = 'pods "x" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=10, limited: pods=10';
  const effect = { kind: 'answer', answer: { code: 403, reason: 'Forbidden', message } } as const;
  faults.add({ match: { verb: 'create', resource: 'services' }, effect, count: 1 });
  const away = { code: 503, reason: 'ServiceUnavailable', message: 'apiserver is shutting down' };
  const match = { verb: 'create', resource: 'pods' } as const;
  faults.add({ match, effect: { kind: 'answer', answer: away }, count: 1 });
  await davit.launches.request({ profile: 'linux', jobId: 'delayed' });
  await registration(davit, { agentName: agentNameOf(delayed) });
}

/** Reports the end of an execution whose agent has connected, as EventBridge does. */
async function loseObserver(): Promise<void> {
  const cleanedUp = await davit.runtime.functions.invoke('clean-up' satisfies FunctionName, {
    'detail-type': 'Step Functions Execution Status Change',
    detail: { name: delayed, status: 'TIMED_OUT', error: null, cause: null },
  });
  if (cleanedUp.functionError !== undefined) throw new Error(JSON.stringify(cleanedUp.payload));
}

/** Queues a job of which no webhook comes, in a repository that sent one before: reconciling launches its agent. */
async function loseWebhook(): Promise<void> {
  const secret = await davit.runtime.webhookSecret('acme');
  await createGithubServer(`${davit.runtime.url}/webhooks/acme`, secret).deliver(newJob(), 'completed');
  github.state.queueRun(exampleOwner, exampleRepository, [{ name: 'lost', labels: [joining], steps: [] }]);
  // Two looks have to agree.
  await reconcileOnce(davit);
  await reconcileOnce(davit);
}

/** Writes an invalid launch record, which only another tool than davit can write. */
async function putBrokenRecord(): Promise<void> {
  using client = localDynamoDb(davit.runtime);
  const Item = { launchId: { S: broken }, status: { S: 'launching' }, requestedAtEpochMs: { N: '1' } };
  await client.send(new PutItemCommand({ TableName: davit.runtime.services.launchesTable, Item }));
  const answer = await davit.launches.get(`/launches/${broken}`);
  if (answer.status !== 500) throw new Error(`a broken record was answered ${answer.status}`);
}

/** The values of a metric, oldest first, each with its dimensions. */
async function valuesOf(name: string): Promise<unknown[]> {
  const isMeant = (point: EmfPoint) => point.name === name;
  return (await readMetrics(davit.stateDirectory)).filter(isMeant).map(({ value, dimensions }) => [value, dimensions]);
}

test('every metric that is documented is counted by a function, and no other', async () => {
  const isMeant = ({ name }: EmfPoint) => name === 'EventsNotSent';
  await untilMetrics(davit.stateDirectory, isMeant, 1);

  const counted = new Set((await readMetrics(davit.stateDirectory)).map(({ name }) => name));

  expect([...counted].toSorted((one, other) => one.localeCompare(other))).toEqual(
    Object.keys(metricDefinitions).toSorted((one, other) => one.localeCompare(other)),
  );
});

describe('a launch that waits, and is tried again', () => {
  const codesOf = async (name: string) => {
    const points = (await readMetrics(davit.stateDirectory)).filter((point) => point.name === name);
    return points.filter(({ properties }) => properties['launchId'] === delayed).map(({ dimensions }) => dimensions);
  };

  test('is counted by what it waited for', async () => {
    expect(await codesOf('Waits')).toContainEqual([{ code: 'QuotaExceeded' }]);
  });

  test('is counted by what had failed', async () => {
    expect(await codesOf('Retries')).toContainEqual([{ code: 'ClusterFault' }]);
  });
});

describe('a sweep that found something, and one that did not get through', () => {
  test('say so as metrics, as does one that had nothing to do', async () => {
    // The runtime makes the first sweep when it starts.
    expect(await valuesOf('SweepLeaks')).toEqual([0, 1, 0].map((value) => [value, [{}]]));
    expect(await valuesOf('SweepUndone')).toEqual([0, 0, 1].map((value) => [value, [{}]]));
    expect(await valuesOf('SweepFound')).toEqual([[1, [{ reason: 'LaunchOver' }]]]);
    expect(await valuesOf('SweepDone')).toEqual([[1, [{ outcome: 'deleted' }]]]);
    expect(await valuesOf('SweepSpared')).toEqual([[1, [{ reason: 'YoungUnknown' }]]]);
  });

  test('say what, and why, as events; the one that had nothing to do says nothing', () => {
    const events = davit.runtime.eventBus.events.filter(({ source }) => source === 'davit.sweep');
    const [found, behind] = events.map(({ detail }) => SweepReported.parse(detail));

    expect(events).toHaveLength(2);
    const name = agentNameOf(terminated);
    expect(found).toMatchObject({
      complete: true,
      found: { LaunchOver: 1 },
      findings: [{ kind: 'Service', name, launchId: terminated, reason: 'LaunchOver', outcome: 'deleted' }],
      errors: [],
    });
    expect(behind).toMatchObject({
      complete: false,
      findings: [],
      errors: [
        {
          subject: 'cluster sandbox, namespace davit-agents',
          message: expect.stringContaining('ClusterUnreachable'),
        },
      ],
    });
  });

  test('say so in the log', async () => {
    const messages = (await logLines(davit.stateDirectory, 'sweep')).map(({ message }) => message);

    expect(messages).toContain(`Sweep: Service ${agentNameOf(terminated)}: LaunchOver, deleted`);
    expect(messages).toContain('Sweep: not complete, 0 left, 1 errors');
  });
});

test('a record that cannot be read is a defect, and an event that will never be sent', async () => {
  expect(await valuesOf('Defects')).toEqual([[1, [{}]]]);
  expect(await valuesOf('EventsNotSent')).toEqual([[1, [{}]]]);
});

test('a reconcile that launched an agent says so as a metric', async () => {
  expect(await valuesOf('Repairs')).toEqual([[1, [{ repair: 'LaunchRequested' }]]]);
  expect(await valuesOf('QueuedJobs')).toEqual([1, 1].map((value) => [value, [{ ciSystem: 'acme' }]]));
});

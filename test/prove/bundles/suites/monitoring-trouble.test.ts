import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { RepairMade } from '../../../../core/events/repair-event.ts';
import { SweepReported } from '../../../../core/events/sweep-event.ts';
import { agentNameOf, apiLaunchId, labelsOf } from '../../../../core/launch/names.ts';
import { createGithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import { metricDefinitions } from '../../../../runtime/metrics/metric-definitions.ts';
import { newJob, registration } from '../../../e2e/jobs.ts';
import {
  connectAs,
  exampleOwner,
  exampleRepository,
  joining,
  joiningProfile,
  reconcileOnce,
  secretsOf,
  withGithub,
} from '../../../e2e/joining.ts';
import { startWatchedRun, terminated } from '../../../e2e/watched-run.ts';
import { type EmfPoint, readMetrics, untilMetrics } from '../../../support/emf-lines.ts';
import { localDynamoDb } from '../../../support/local-dynamo-db.ts';
import type { AwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { type CheckedGithub, startCheckedGithub } from '../../ci/github/start-checked-github.ts';
import { until } from '../../cluster/until.ts';

let davit: AwsTestRuntime;
let github: CheckedGithub;
const delayed = apiLaunchId('delayed');
const broken = 'api-broken';

/** A run with every kind of trouble that davit counts. */
beforeAll(async () => {
  github = await startCheckedGithub([exampleOwner]);
  ({ davit } = await startWatchedRun({
    changeConfig: (config) => ({
      ...withGithub(config, github),
      profiles: [...config.profiles, joiningProfile(config)],
    }),
    secrets: secretsOf(github),
  }));
  putService(terminated);
  putService('api-nobodys');
  await invoke('sweep');
  await invoke('probe');
  await launchDelayed();
  await loseObserver();
  davit.cluster.sandbox.faults.add({ match: { verb: 'list' }, effect: { kind: 'drop', when: 'before' } });
  await invoke('sweep');
  davit.cluster.sandbox.faults.clear();
  await loseWebhook();
  await refuseJob();
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

async function invoke(name: Extract<FunctionName, 'probe' | 'sweep'>): Promise<void> {
  const { functionError, payload } = await davit.runtime.invoke(name, {});
  if (functionError !== undefined) throw new Error(JSON.stringify(payload));
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
  const cleanedUp = await davit.runtime.invoke('clean-up', {
    'detail-type': 'Step Functions Execution Status Change',
    detail: { name: delayed, status: 'TIMED_OUT', error: null, cause: null },
  });
  if (cleanedUp.functionError !== undefined) throw new Error(JSON.stringify(cleanedUp.payload));
}

/**
 * Queues a job without a webhook, in a repository that sent one before. Reconciliation launches its agent, which runs
 * it.
 */
async function loseWebhook(): Promise<void> {
  const secret = await davit.runtime.webhookSecret('acme');
  await createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, secret).deliver(newJob(), 'completed');
  github.state.queueRun(exampleOwner, exampleRepository, [{ name: 'lost', labels: [joining], steps: [] }]);
  // Two different looks have to agree.
  const launchId = await until('reconciliation has launched an agent for the lost job', 60_000, async () => {
    await reconcileOnce(davit);
    const page = await davit.runtime.ports.launches.list({ statuses: ['launching'], limit: 100 });
    return page?.launches.map((launch) => launch.launchId).find((id) => id.startsWith('acme-'));
  });
  await connectAs(davit, launchId);
  const [runner] = github.state.runners.values();
  if (runner === undefined) throw new Error("the lost job's agent has no runner");
  github.state.assign(runner);
  await reconcileOnce(davit);
}

/** Queues a job that no profile matches. */
async function refuseJob(): Promise<void> {
  const { status } = await davit.github.deliver(newJob(['nobody-has-this']), 'queued');
  if (status !== 200) throw new Error(`a job that no profile takes was answered ${status}`);
}

/** Writes an invalid launch record, which davit itself never does. */
async function putBrokenRecord(): Promise<void> {
  using client = localDynamoDb(davit.runtime);
  const Item = { launchId: { S: broken }, status: { S: 'launching' }, requestedAtEpochMs: { N: '1' } };
  await client.send(new PutItemCommand({ TableName: davit.runtime.services.launchesTable, Item }));
  const answer = await davit.launches.get(`/launches/${broken}`);
  if (answer.status !== 500) throw new Error(`a broken record was answered ${answer.status}`);
}

test('functions count every documented metric, and no other', async () => {
  const isMeant = ({ name }: EmfPoint) => name === 'EventsNotSent';
  await untilMetrics(davit.stateDirectory, isMeant, 1);

  const counted = new Set((await readMetrics(davit.stateDirectory)).map(({ name }) => name));

  expect([...counted].toSorted((one, other) => one.localeCompare(other))).toEqual(
    Object.keys(metricDefinitions).toSorted((one, other) => one.localeCompare(other)),
  );
});

test('what sweeps and reconciles report is on the bus; a sweep with nothing to do reports nothing', () => {
  const { events } = davit.runtime.eventBus;
  const detailsFrom = (from: string) => events.filter(({ source }) => source === from).map(({ detail }) => detail);
  const name = agentNameOf(terminated);

  expect(detailsFrom('davit.sweep').map((detail) => SweepReported.parse(detail))).toMatchObject([
    {
      complete: true,
      found: { LaunchOver: 1 },
      findings: [{ kind: 'Service', name, launchId: terminated, reason: 'LaunchOver', outcome: 'deleted' }],
      errors: [],
    },
    {
      complete: false,
      findings: [],
      errors: [
        {
          subject: 'cluster sandbox, namespace davit-agents',
          message: expect.stringContaining('ClusterUnreachable'),
        },
      ],
    },
  ]);
  expect(detailsFrom('davit.reconcile').map((detail) => RepairMade.parse(detail))).toMatchObject([
    { ciSystem: 'acme', repair: 'LaunchRequested', subject: expect.stringMatching(/^acme-/) },
  ]);
});

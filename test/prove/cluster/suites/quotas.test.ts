import { readFile } from 'node:fs/promises';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { create } from '../node-objects.ts';
import { change, remove } from '../outcomes/change-object.ts';
import { idle } from '../outcomes/containers.ts';
import { describeFailures, describeRecoveries } from '../outcomes/describe-outcomes.ts';
import { expectAgent, type Failure, profilesOf, type Row, requestLaunch } from '../outcomes/expect-outcome.ts';
import type { Recovery } from '../outcomes/expect-recovery.ts';
import { makeNamespace, makeQuota } from '../outcomes/policed-namespaces.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const failures: (Row & Failure)[] = [
  {
    what: "when its namespace's quota of Services stays full",
    changes: { agent: idle, profile: { namespace: 'without-services' }, deadlines: { quotaSeconds: 3 } },
    code: 'QuotaDeadlineExceeded',
    detail:
      /CreateService gave up after \d+ s of 3 s; .*exceeded quota: none, requested: services=1, used: services=0, limited: services=0/,
  },
  {
    what: "when its namespace's quota of Pods stays full",
    changes: { agent: idle, profile: { namespace: 'without-pods' }, deadlines: { quotaSeconds: 3 } },
    code: 'QuotaDeadlineExceeded',
    detail:
      /CreatePod gave up after \d+ s of 3 s; .*exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0/,
  },
];

const recoveries: Recovery[] = [
  {
    what: 'when another Service of a full quota is deleted',
    changes: { profile: { namespace: 'one-service' } },
    signal: 'QuotaExceeded',
    detail: /exceeded quota: none, requested: services=1, used: services=1, limited: services=1/,
    mend: ({ api }) => remove(api, '/api/v1/namespaces/one-service/services/first'),
  },
  {
    what: 'when a full quota of Pods is raised',
    changes: { profile: { namespace: 'no-pod-yet' } },
    signal: 'QuotaExceeded',
    detail: /exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0/,
    mend: ({ api }) =>
      change(api, '/api/v1/namespaces/no-pod-yet/resourcequotas/none', { spec: { hard: { pods: '1' } } }),
  },
];

const contested = {
  what: 'when other clients keep changing its quota',
  changes: { profile: { namespace: 'contested' } },
};

/** From the answer, as the audit log records it. */
const quotaConflict = 'Operation cannot be fulfilled on resourcequotas';
const cluster = await openTestCluster();

let davit: DavitOnCluster;
beforeAll(async () => {
  davit = await startDavit(cluster, { profiles: profilesOf(failures, recoveries, [contested]) });
  const quotas = {
    'without-services': { services: '0' },
    'without-pods': { pods: '0' },
    'one-service': { services: '1' },
    'no-pod-yet': { pods: '0' },
    contested: { services: '9', pods: '9' },
  };
  const made = Object.entries(quotas).map(async ([namespace, hard]) => {
    await makeNamespace(davit.api, namespace);
    await makeQuota(davit.api, namespace, hard);
  });
  await Promise.all(made);
  const spec = { ports: [{ port: 80 }] };
  await create(davit.api, '/api/v1/namespaces/one-service/services', { metadata: { name: 'first' }, spec });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describeFailures(() => davit, failures);

describeRecoveries(() => davit, recoveries);

/** Keeps changing a quota, so that concurrent updates of its usage fail. */
function contest(path: string): AsyncDisposable {
  const over = new AbortController();
  const rivals = Array.from({ length: 8 }, async (_, rival) => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await change(davit.api, path, { metadata: { annotations: { [`rival-${rival}`]: `${round}` } } });
    }
  });
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await Promise.all(rivals);
    },
  };
}

/** The most launches to try until one meets a conflict: each creates two objects, and usually the first launch does. */
const mostLaunches = 20;
const createMs = 60_000;

async function isConflicting(launchId: string): Promise<boolean> {
  const lines = (await readFile(cluster.auditLogPath, 'utf8')).split('\n');
  return lines.some((line) => ['"verb":"create"', launchId, quotaConflict].every((part) => line.includes(part)));
}

async function hasPod(launchId: string): Promise<boolean> {
  const path = `/api/v1/namespaces/${contested.changes.profile.namespace}/pods/${agentNameOf(launchId)}`;
  return (await davit.api.send(path)).status === 200;
}

/**
 * Launches until the API server answers a launch's create with a conflict.
 *
 * @returns that launch; undefined when there was none
 */
async function launchUntilConflict(): Promise<string | undefined> {
  for (let number = 1; number <= mostLaunches; number += 1) {
    const launchId = await requestLaunch(davit, contested, `${contested.what} ${number}`);
    await until(
      `launch ${launchId} meets a conflict, or has a Pod`,
      createMs,
      async () => (await isConflicting(launchId)) || (await hasPod(launchId)),
    );
    if (await isConflicting(launchId)) return launchId;
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated', 'failed');
  }
  return undefined;
}

test(`a launch into a real cluster ${contested.what} meets a conflict inside the API server, and works`, async () => {
  let launchId: string | undefined;
  {
    await using rivals = new AsyncDisposableStack();
    rivals.use(contest('/api/v1/namespaces/contested/resourcequotas/none'));
    launchId = await launchUntilConflict();
  }

  if (launchId === undefined) throw new Error(`none of ${mostLaunches} launches met a conflict`);
  await expectAgent(davit, launchId);
});

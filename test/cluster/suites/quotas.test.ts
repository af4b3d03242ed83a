import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { create } from '../node-objects.ts';
import { change, remove } from '../outcomes/change-object.ts';
import { idle } from '../outcomes/containers.ts';
import { expectFailure, type Failure, profilesOf, type Row, requestLaunch } from '../outcomes/expect-outcome.ts';
import { expectRecovery, type Recovery } from '../outcomes/expect-recovery.ts';
import { makeNamespace, makeQuota } from '../outcomes/policed-namespaces.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const failures: (Row & Failure)[] = [
  {
    what: 'whose namespace’s quota of Services stays full',
    changes: { agent: idle, profile: { namespace: 'without-services' }, deadlines: { quotaSeconds: 3 } },
    code: 'QuotaDeadlineExceeded',
    says: /CreateService gave up after \d+ s of 3 s; .*exceeded quota: none, requested: services=1, used: services=0, limited: services=0/,
  },
  {
    what: 'whose namespace’s quota of Pods stays full',
    changes: { agent: idle, profile: { namespace: 'without-pods' }, deadlines: { quotaSeconds: 3 } },
    code: 'QuotaDeadlineExceeded',
    says: /CreatePod gave up after \d+ s of 3 s; .*exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0/,
  },
];

const recoveries: Recovery[] = [
  {
    what: 'when another Service of a full quota is deleted',
    changes: { profile: { namespace: 'one-service' } },
    signal: 'QuotaExceeded',
    says: /exceeded quota: none, requested: services=1, used: services=1, limited: services=1/,
    mend: ({ api }) => remove(api, '/api/v1/namespaces/one-service/services/first'),
  },
  {
    what: 'when a full quota of Pods is raised',
    changes: { profile: { namespace: 'no-pod-yet' } },
    signal: 'QuotaExceeded',
    says: /exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0/,
    mend: ({ api }) =>
      change(api, '/api/v1/namespaces/no-pod-yet/resourcequotas/none', { spec: { hard: { pods: '1' } } }),
  },
];

let davit: DavitOnCluster;
beforeAll(async () => {
  davit = await startDavit(await openTestCluster(), { profiles: profilesOf(failures, recoveries) });
  const quotas = {
    'without-services': { services: '0' },
    'without-pods': { pods: '0' },
    'one-service': { services: '1' },
    'no-pod-yet': { pods: '0' },
  };
  for (const [namespace, hard] of Object.entries(quotas)) {
    await makeNamespace(davit.api, namespace);
    await makeQuota(davit.api, namespace, hard);
  }
  const spec = { ports: [{ port: 80 }] };
  await create(davit.api, '/api/v1/namespaces/one-service/services', { metadata: { name: 'first' }, spec });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describe('a launch into a real cluster fails, says why and what to do, and leaves nothing,', () => {
  test.concurrent.each(failures)('$what: $code', async (row) => {
    await expectFailure(davit, await requestLaunch(davit, row), row);
  });
});

describe('a launch into a real cluster waits, says for what, and works', () => {
  test.concurrent.each(recoveries)('$what', async (row) => {
    await expectRecovery(davit, row);
  });
});

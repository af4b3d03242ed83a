import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allChecks } from '../../../cli/conformance/all-checks.ts';
import type { CheckResult } from '../../../cli/conformance/check.ts';
import { runChecks } from '../../../cli/conformance/run-checks.ts';
import { openTestedCluster } from '../../../cli/conformance/tested-cluster.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../sandbox/sandbox-cluster.ts';
import { newFolder } from '../../support/new-folder.ts';
import { type Lie, type PassingAnswer, startLyingProxy } from '../../support/start-lying-proxy.ts';

const namespace = 'checks';
const image = 'davit.dev/idle';
/** Long enough for a Pod to get a node on a busy machine. */
const usualWaitMs = 6000;

/** A spec that fits into the quota. */
const smallSpec = {
  schedulingGates: [{ name: 'x' }],
  containers: [{ name: 'c', image, resources: { requests: { cpu: '1m' } } }],
};

const directory = newFolder();
let sandbox: SandboxCluster;
beforeAll(async () => {
  const images = { [image]: { command: ['sleep', '3600'] } };
  sandbox = await startSandboxCluster({ namespace, node: { stateDirectory: directory, images } });
  sandbox.store.create('resourcequotas', {
    metadata: { name: 'few', namespace },
    spec: { hard: { 'requests.cpu': '4' } },
  });
  sandbox.store.create('pods', { metadata: { name: 'another', namespace }, spec: smallSpec });
});
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.stop());

/** Runs one check through a proxy. @returns its result, and that of the removal */
async function check(
  name: string,
  lie: Lie,
  { version = 'v1.34.4', waitMs = usualWaitMs } = {},
): Promise<[CheckResult, CheckResult]> {
  await using proxy = await startLyingProxy(sandbox.kubeconfig, lie);
  const kubeconfig = join(directory, `kubeconfig-${randomUUID()}`);
  await writeFile(kubeconfig, proxy.kubeconfig);
  const cluster = openTestedCluster({ kubeconfig, namespace, image, waitMs });
  const chosen = allChecks.filter((each) => each.name === name);
  const run = { version, signal: new AbortController().signal, onLeft: () => {} };
  const [result, removal] = await Array.fromAsync(runChecks(cluster, chosen, run));
  if (result === undefined || removal === undefined) throw new Error(`there is no check ${name}`);
  return [result, removal];
}

/** Removes a field from the status of each Pod that the server shows. */
const withoutStatus =
  (field: string): NonNullable<Lie['ofAnswer']> =>
  ({ body }, { path }) => {
    if (/\/pods(\/[^/]+)?$/.test(path) && body['status'] !== undefined) delete Object(body['status'])[field];
  };

const refusingDryRuns =
  (status: number, message: string): NonNullable<Lie['ofAnswer']> =>
  (answer, { query }) => {
    if (query.has('dryRun')) refuse(answer, status, message);
  };

function refuse(answer: PassingAnswer, status: number, message: string): void {
  answer.status = status;
  answer.body = { kind: 'Status', status: 'Failure', code: status, reason: 'Forbidden', message };
}

const strangeEvent = {
  metadata: { name: 'strange', namespace },
  involvedObject: { kind: 'Pod', uid: 'of-another-pod' },
  reason: 'Pulled',
  message: 'the image of another Pod',
};

const lies: readonly (readonly [check: string, what: string, lie: Lie, found: RegExp])[] = [
  [
    'access-reviews',
    'says that nothing is allowed',
    { ofAnswer: ({ body }, { path }) => void (path.endsWith('reviews') && (body['status'] = { allowed: false })) },
    /^create pods: not allowed, but the call itself was not forbidden$/,
  ],
  [
    'access-reviews',
    'has no reviews',
    { ofAnswer: (answer, { path }) => void (path.endsWith('reviews') && refuse(answer, 404, 'no such path')) },
    /^the server has no SelfSubjectAccessReview: HTTP 404: no such path$/,
  ],
  [
    'watch-resumption',
    'begins every watch with the present',
    { ofRequest: ({ query }) => query.delete('resourceVersion') },
    /^the watch did not report the deletion/,
  ],
  [
    'lists',
    'ignores labels',
    { ofRequest: ({ query }) => query.delete('labelSelector') },
    /^\d of 2 Pods in \d pages of 1: another, /,
  ],
  [
    'lists',
    'repeats the first page',
    { ofRequest: ({ query }) => query.delete('continue') },
    /^5 of 2 Pods in 5 pages of 1: /,
  ],
  [
    'owner-references',
    'forgets owners',
    {
      ofRequest: ({ method, body }) => {
        if (method === 'POST') delete Object(body['metadata'])['ownerReferences'];
      },
    },
    /^6 s after the deletion of the Service: the Pod is there$/,
  ],
  [
    'node-port',
    'allocates no node port',
    {
      ofAnswer: ({ body }) => {
        for (const port of Object(body['spec'])['ports'] ?? []) delete port.nodePort;
      },
    },
    /^the Service has no nodePort after 6 s$/,
  ],
  [
    'node-port-taken',
    'gives any port to anybody',
    {
      ofRequest: ({ body }) => {
        for (const port of Object(body['spec'])['ports'] ?? []) delete port.nodePort;
      },
    },
    /^two Services have nodePort \d+$/,
  ],
  [
    'node-port-taken',
    'refuses a taken port in other words',
    { ofAnswer: (answer) => void (answer.status === 422 && refuse(answer, 409, 'the port is in use')) },
    /^HTTP 409: the port is in use; davit takes it for WriteConflict$/,
  ],
  [
    'name-taken',
    'refuses a taken name in other words',
    { ofAnswer: (answer) => void (answer.status === 409 && refuse(answer, 409, 'the name is in use')) },
    /^HTTP 409: the name is in use \(reason Forbidden\); davit takes it for WriteConflict$/,
  ],
  [
    'name-taken',
    'accepts a taken name',
    {
      ofAnswer: (answer) => {
        if (answer.status === 409)
          Object.assign(answer, { status: 201, body: sandbox.store.get('pods', namespace, 'another') });
      },
    },
    /^two creates of the Pod \S+ were accepted$/,
  ],
  [
    'uid-precondition',
    'deletes whatever has the name',
    { ofRequest: ({ body }) => void delete body['preconditions'] },
    /^the Pod \S+ was deleted by another uid than its own$/,
  ],
  [
    'uid-precondition',
    'deletes nothing and says otherwise',
    { ofAnswer: (answer) => void (answer.status === 409 && (answer.status = 200)) },
    /^the deletion was accepted, and the Pod is kept$/,
  ],
  [
    'admission',
    'refuses a Pod in the words of a proxy',
    { ofAnswer: refusingDryRuns(403, 'blocked by the gateway') },
    /^HTTP 403: blocked by the gateway; davit takes it for ClusterForbidden$/,
  ],
  [
    'quota',
    'refuses beyond its quota in other words',
    { ofAnswer: refusingDryRuns(403, 'over quota: 5 of 4') },
    /^HTTP 403: over quota: 5 of 4; davit takes it for ClusterForbidden$/,
  ],
  [
    'quota',
    'does not count',
    { ofRequest: ({ query, body }) => void (query.has('dryRun') && Object.assign(body, { spec: smallSpec })) },
    /^the quota few of requests.cpu: 4 does not refuse what exceeds it$/,
  ],
  [
    'eviction',
    'evicts by a plain deletion',
    {
      ofRequest: (request) => {
        if (!request.path.endsWith('/eviction')) return;
        Object.assign(request, { method: 'DELETE', path: request.path.replace(/\/eviction$/, ''), body: {} });
      },
    },
    /^the evicted Pod went without a condition DisruptionTarget$/,
  ],
  [
    'placement',
    'reports no address of a node',
    { ofAnswer: withoutStatus('hostIP') },
    /^node sandbox-node reports no hostIP, which a NodePort needs; after 6 s$/,
  ],
  [
    'unschedulable',
    'says nothing about a Pod without a node',
    { ofAnswer: withoutStatus('conditions') },
    /^phase Pending; after 6 s$/,
  ],
  [
    'events',
    'has none',
    { ofAnswer: ({ body }, { path }) => void (path.endsWith('/events') && (body['items'] = [])) },
    /^a Pod that fits on no node has no Event after 6 s$/,
  ],
  [
    'events',
    'lists those of all Pods',
    {
      ofAnswer: ({ body }, { path }) => {
        if (path.endsWith('/events')) body['items'] = [strangeEvent];
      },
    },
    /^the list has another Pod's Event: Pulled: the image of another Pod$/,
  ],
  [
    'graceful-deletion',
    'deletes at once',
    { ofRequest: ({ method, body }) => void (method === 'DELETE' && (body['gracePeriodSeconds'] = 0)) },
    /^the Pod went without a deletionTimestamp$/,
  ],
];

test.concurrent.each(lies)('%s does not hold on a cluster that %s', async (name, _what, lie, found) => {
  const [result] = await check(name, lie);

  expect(result).toMatchObject({ name, verdict: 'not-held', found: expect.stringMatching(found) });
});

test('every check but that of the expiry of watches has a lie that it sees', () => {
  const seen = new Set([...lies.map(([name]) => name), 'version', 'watch-expiry']);

  expect(allChecks.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
});

test.each([
  ['v1.34.4', 'held', 'v1.34.4: tested'],
  ['v1.31.0-eks-5e0fdde', 'held', 'v1.31.0-eks-5e0fdde: read, not tested'],
  ['v1.29.15', 'not-held', 'v1.29.15 is older than 1.30'],
  ['main', 'not-checked', 'the server calls itself main'],
])('version %s is %s', async (version, verdict, found) => {
  const [result] = await check('version', {}, { version });

  expect(result).toMatchObject({ verdict, found });
});

test.each([
  ['410 as an event', { kind: 'expire-watch' }, 'held', /^410 too old resource version: 1 \(\d+\)$/],
  ['410 as its status', refusedWatch(410, 'Expired'), 'held', /^410 no$/],
  ['400', refusedWatch(400, 'BadRequest'), 'not-held', /^400 no$/],
] as const)(
  'a watch from too old a version that is answered by %s: watch-expiry',
  async (_what, effect, verdict, found) => {
    sandbox.faults.add({ match: { verb: 'watch' }, effect });

    const [result] = await check('watch-expiry', {});

    expect(result).toMatchObject({ verdict, found: expect.stringMatching(found) });
  },
);

function refusedWatch(code: number, reason: string) {
  return { kind: 'answer', answer: { code, reason, message: 'no' } } as const;
}

test('a node port that comes late holds', async () => {
  sandbox.faults.add({ match: { verb: 'create' }, effect: { kind: 'late-node-ports', delayMs: 300 } });

  const [result] = await check('node-port', {});

  expect(result).toMatchObject({ verdict: 'held', found: expect.stringMatching(/^nodePort \d+, after the answer/) });
});

test("PodSecurity's words hold, and so does a rule that refuses before the quota, as far as it shows", async () => {
  const words = 'pods "x" is forbidden: violates PodSecurity "baseline:latest": privileged';
  const [admission] = await check('admission', { ofAnswer: refusingDryRuns(403, words) });
  const [quota] = await check('quota', { ofAnswer: refusingDryRuns(403, 'maximum cpu usage per Container is 2') });

  expect(admission).toMatchObject({ verdict: 'held', found: `HTTP 403: ${words}` });
  expect(quota).toMatchObject({
    verdict: 'not-checked',
    found: 'another rule refuses the object before the quota: HTTP 403: maximum cpu usage per Container is 2',
  });
});

test('a cluster that keeps what it says it deletes does not hold the removal', async () => {
  const keeping: Lie = {
    ofRequest: (request) => {
      if (request.method === 'DELETE') request.method = 'GET';
    },
  };

  const [, removal] = await check('lists', keeping, { waitMs: 1000 });

  const kept = sandbox.store.list('pods').filter(({ metadata }) => metadata.name !== 'another');
  expect(removal).toMatchObject({ name: 'removal', verdict: 'not-held' });
  expect(removal.found).toMatch(/^(pods\/\S+: it is deleted, and still there(; |$)){2}$/);
  expect(kept).toHaveLength(2);
  for (const { metadata } of kept) sandbox.store.delete('pods', namespace, metadata.name, {});
});

test('answers of another shape do not hold', async () => {
  const [result] = await check('lists', {
    ofAnswer: ({ body }, { method }) => {
      if (method === 'POST') delete Object(body['metadata'])['uid'];
    },
  });

  expect(result).toMatchObject({
    verdict: 'not-held',
    found: expect.stringMatching(/^the answer has another shape: .*uid/),
  });
});

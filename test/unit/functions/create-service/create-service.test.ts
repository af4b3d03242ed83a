import { PendingError, TransientError } from '../../../../core/errors/errors.ts';
import { CreateServiceInput, createService } from '../../../../functions/create-service/create-service.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { type TestDeps, testAgentName } from '../../../support/make-test-deps.ts';
import { withCluster } from '../../../support/port-with.ts';
import { launchAt, requested } from '../../../support/run-steps.ts';

const quotaFull = new PendingError('QuotaExceeded', 'exceeded quota: agents, used: services.nodeports=10');

const rangeFull = new PendingError('NodePortRangeFull', 'failed to allocate a nodePort: range is full');
const unreachable = new TransientError('ClusterUnreachable', 'connect ECONNREFUSED');

let deps: TestDeps;
let plan: Awaited<ReturnType<typeof requested>>;
beforeEach(async () => {
  ({ deps, state: plan } = await launchAt(requested));
});

test("a NodePort Service is created under the agent's name, and its uid and time are passed on", async () => {
  const output = await createService(deps, plan);

  expect(output).toEqual({ uid: 'service-uid-1', createdAtEpochMs: 1_767_225_600_000 });
  expect(deps.cluster.manifests).toMatchObject([
    { kind: 'Service', metadata: { name: testAgentName, namespace: 'davit-agents' }, spec: { type: 'NodePort' } },
  ]);
});

test("a full quota makes the step wait, and the launch's record shows since when", async () => {
  const full = withCluster(deps, { create: () => Promise.reject(quotaFull) });
  deps.clock.advance(2000);

  await expect(createService(full, plan)).rejects.toBe(quotaFull);
  expect((await deps.launches.get(plan.launchId))?.signal).toEqual({
    code: 'QuotaExceeded',
    detail: 'exceeded quota: agents, used: services.nodeports=10',
    sinceEpochMs: 1_767_225_602_000,
  });
});

test.each([
  { fact: 'a full quota', error: quotaFull, code: 'QuotaDeadlineExceeded' },
  { fact: 'a full node-port range', error: rangeFull, code: 'NodePortRangeDeadlineExceeded' },
])('$fact makes the step wait with a separate deadline, counted from the first refusal', async ({ error, code }) => {
  const patient = { ...plan, deadlines: { ...plan.deadlines, quotaSeconds: 1200, nodePortRangeSeconds: 1200 } };
  const full = withCluster(deps, { create: () => Promise.reject(error) });

  deps.clock.advance(500_000);
  await expect(createService(full, patient)).rejects.toBe(error);
  deps.clock.advance(1_199_000);
  await expect(createService(full, patient)).rejects.toBe(error);
  deps.clock.advance(1000);
  await expect(createService(full, patient)).rejects.toThrow(
    `${code}: CreateService gave up after 1200 s of 1200 s; at last: ${error.detail}`,
  );
});

test("an unreachable cluster makes the step wait until the Service's deadline", async () => {
  const cut = withCluster(deps, { create: () => Promise.reject(unreachable) });

  deps.clock.advance(599_000);
  await expect(createService(cut, plan)).rejects.toMatchObject({ cause: unreachable });
  deps.clock.advance(1000);
  await expect(createService(cut, plan)).rejects.toThrow(
    'ServiceDeadlineExceeded: CreateService gave up after 600 s of 600 s; at last: ' +
      'cluster sandbox is away (Unreachable): connect ECONNREFUSED',
  );
});

test('the time that a launch waited for room is not counted against the step', async () => {
  const full = withCluster(deps, { create: () => Promise.reject(quotaFull) });
  const cut = withCluster(deps, { create: () => Promise.reject(unreachable) });

  await expect(createService(full, plan)).rejects.toBe(quotaFull);
  deps.clock.advance(601_000);

  await expect(createService(cut, plan)).rejects.toMatchObject({ cause: unreachable });
});

test('a create whose answer is lost finds its Service', async () => {
  const { cluster } = deps;
  const cut = withCluster(deps, {
    create: async (manifest) => {
      await cluster.services.create(manifest);
      throw new TransientError('ClusterUnreachable', 'no answer in time');
    },
  });

  expect(await createService(cut, plan)).toMatchObject({ uid: 'service-uid-1' });
  expect(cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test('a create that is refused for a full node-port range adopts the Service of an earlier attempt', async () => {
  await createService(deps, plan);
  const full = withCluster(deps, { create: () => Promise.reject(rangeFull) });

  const output = await createService(full, plan);

  expect(output).toMatchObject({ uid: 'service-uid-1' });
});

test('an unexposed launch gets no Service: no value falls back', () => {
  expect(CreateServiceInput.safeParse(planOf('github-1-2-1', { expose: 'none' })).success).toBe(false);
  expect(CreateServiceInput.safeParse(planOf('github-1-2-1')).success).toBe(true);
});

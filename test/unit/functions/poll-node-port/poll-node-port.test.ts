import { pollNodePort } from '../../../../functions/poll-node-port/poll-node-port.ts';
import { makeTestDeps, type TestDeps, testAgentName } from '../../../support/make-test-deps.ts';
import { launchAt, withService } from '../../../support/run-steps.ts';

let deps: TestDeps;
let state: Awaited<ReturnType<typeof withService>>;

/** A cluster that creates Services without a nodePort. */
beforeEach(async () => {
  deps = makeTestDeps();
  deps.cluster.allocatesNodePorts = false;
  state = await withService(deps);
});

test('an existing port is read at once', async () => {
  ({ deps, state } = await launchAt(withService));

  expect(await pollNodePort(deps, state)).toEqual({ port: 30_000, readAtEpochMs: 1_767_225_600_000 });
});

test('a port that comes later is seen when it comes', async () => {
  deps.clock.after(12_300, () => deps.cluster.allocateNodePort(testAgentName, 30_080));

  expect(await pollNodePort(deps, state)).toEqual({ port: 30_080, readAtEpochMs: 1_767_225_612_300 });
});

test('without a port within 20 s the step repeats', async () => {
  await expect(pollNodePort(deps, state)).rejects.toThrow(
    'NodePortPending: the Service has no nodePort (launch github-1-2-1, cluster sandbox, namespace davit-agents, service davit-github-1-2-1)',
  );
  expect(deps.nowEpochMs()).toBe(1_767_225_620_000);
});

test('a port of zero is no port', async () => {
  deps.cluster.allocateNodePort(testAgentName, 0);

  await expect(pollNodePort(deps, state)).rejects.toMatchObject({ name: 'PendingError', code: 'NodePortPending' });
});

test('three attempts reach the deadline, counted from the creation of the Service', async () => {
  await expect(pollNodePort(deps, state)).rejects.toMatchObject({ code: 'NodePortPending' });
  await expect(pollNodePort(deps, state)).rejects.toMatchObject({ code: 'NodePortPending' });
  await expect(pollNodePort(deps, state)).rejects.toThrow(
    'NodePortDeadlineExceeded: PollNodePort gave up after 60 s of 60 s; at last: the Service has no nodePort',
  );
});

test('an attempt after the deadline still looks once, and accepts a port', async () => {
  deps.clock.advance(90_000);
  deps.cluster.allocateNodePort(testAgentName, 30_080);

  expect(await pollNodePort(deps, state)).toEqual({ port: 30_080, readAtEpochMs: 1_767_225_690_000 });
});

test.each([
  { fact: 'is gone', meddle: ({ cluster }: TestDeps) => cluster.services.remove(testAgentName) },
  { fact: 'is being deleted', meddle: markDeleting },
  { fact: 'was replaced', meddle: replace },
])('a Service that $fact was changed from outside', async ({ meddle }) => {
  deps.clock.after(4000, () => meddle(deps));

  await expect(pollNodePort(deps, state)).rejects.toMatchObject({ name: 'RelaunchError', code: 'DeletedExternally' });
});

function markDeleting({ cluster }: TestDeps): void {
  cluster.services.change(testAgentName, (view) => ({
    ...view,
    metadata: { ...view.metadata, deletionTimestamp: '2026-01-01T00:00:04Z' },
  }));
}

function replace({ cluster }: TestDeps): void {
  cluster.services.change(testAgentName, (view) => ({
    ...view,
    metadata: { ...view.metadata, uid: 'service-uid-0' },
    spec: { ports: [{ port: 8811, nodePort: 30_080 }] },
  }));
}

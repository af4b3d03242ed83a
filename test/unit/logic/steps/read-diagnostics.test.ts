import { TransientError } from '../../../../core/errors/errors.ts';
import { readDiagnostics } from '../../../../logic/steps/read-diagnostics.ts';
import { type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { portWith } from '../../../support/port-with.ts';
import { launchAt, withPod } from '../../../support/run-steps.ts';

const terminated = { name: 'agent', state: { terminated: { exitCode: 137, message: 'out of memory' } } };

let deps: TestDeps;
beforeEach(async () => {
  ({ deps } = await launchAt(withPod));
  deps.cluster.report(testAgentName, { phase: 'Failed', containerStatuses: [terminated] });
});

const read = (parts = {}) =>
  readDiagnostics(
    { pods: deps.cluster.pods, reports: deps.cluster.reports, ...parts },
    { launchId: testLaunchId, namespace: 'davit-agents', agentName: testAgentName, secrets: ['hunter2'] },
    1_767_225_600_000,
  );

describe("a failed agent's diagnostics", () => {
  test('have the end of the log of the container that has ended, with its last words and without secrets', async () => {
    deps.cluster.reports.log = async () => 'token hunter2\n';

    const { log } = await read();

    expect(log?.container).toBe('agent');
    expect(log?.text).toMatch(/^token \[masked\]\n/);
    expect(log?.text).toContain('out of memory');
  });

  test('have no log of a container that has none', async () => {
    deps.cluster.reports.log = async () => undefined;

    expect(await read()).toStrictEqual({ atEpochMs: 1_767_225_600_000, events: [], unread: [] });
  });

  test("say nothing of another owner's Pod that has the agent's name", async () => {
    deps.cluster.pods.change(testAgentName, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, uid: 'foreign', labels: { app: 'other' } },
    }));
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Pulled', involvedObject: { uid: 'foreign' } });
    deps.cluster.reports.addEvent(testAgentName, { reason: 'Killing', involvedObject: { uid: 'own' } });
    deps.cluster.reports.log = async () => 'a log of another owner';

    const { events, log } = await read();

    expect(log).toBeUndefined();
    expect(events.map(({ reason }) => reason)).toEqual(['Killing']);
  });

  test('name each part that is unreadable, with the words of the error and without secrets', async () => {
    const fail = async () => {
      throw new TransientError('ClusterFault', 'etcd: no leader for hunter2');
    };
    deps.cluster.reports.log = fail;
    const words = 'ClusterFault: etcd: no leader for [masked]';

    const withoutLog = await read();
    deps.cluster.reports.events = fail;
    const withoutPod = await read({ pods: portWith(deps.cluster.pods, { get: fail }) });

    expect(withoutLog.unread).toEqual([`log: ${words}`]);
    expect(withoutPod.events).toEqual([]);
    expect(withoutPod.unread).toEqual([`events: ${words}`, `pod: ${words}`]);
  });

  test('have the words of what is thrown without being an error, at most 1,024 characters of them', async () => {
    deps.cluster.reports.events = async () => Promise.reject('x'.repeat(2000));

    const { unread } = await read();

    expect(unread).toEqual([`events: ${'x'.repeat(1016)}`]);
  });
});

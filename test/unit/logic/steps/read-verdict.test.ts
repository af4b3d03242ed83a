import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { readHoldUp, readVerdict } from '../../../../logic/steps/read-verdict.ts';
import { failTest } from '../../../support/fail-test.ts';
import { makeTestDeps, type TestDeps, testAgentName } from '../../../support/make-test-deps.ts';
import { running, terminated, waiting } from '../../../support/pod-view.ts';
import { withPod } from '../../../support/run-steps.ts';

type Status = NonNullable<PodView['status']>;

const creating: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] };
const ended: Status = { phase: 'Failed', containerStatuses: [terminated('agent', 137)] };
const killing = { reason: 'Preempted', message: 'Preempted by pod x on node node-1' };

async function podIn(status: Status) {
  const deps = makeTestDeps();
  const launch = await withPod(deps);
  deps.cluster.report(testAgentName, status);
  const pod = await deps.cluster.pods.get('davit-agents', testAgentName);
  return { deps, launch, pod };
}

function refuseEvents({ cluster }: TestDeps): void {
  cluster.reports.events = async () => failTest('its status says enough');
}

describe('the Events of a Pod', () => {
  test.each([
    { what: 'its uid', involvedObject: (uid: string) => ({ uid }) },
    { what: 'no uid', involvedObject: () => ({}) },
  ])('overrule its end when they name $what', async ({ involvedObject }) => {
    const { deps, launch, pod } = await podIn(ended);
    deps.cluster.reports.addEvent(testAgentName, { ...killing, involvedObject: involvedObject(launch.pod.uid) });

    expect(await readVerdict(deps.cluster, launch, pod)).toMatchObject({ kind: 'relaunch', code: 'PodPreempted' });
  });

  test('of its uid only, and not those of an earlier Pod of its name', async () => {
    const { deps, launch, pod } = await podIn(ended);
    deps.cluster.reports.addEvent(testAgentName, { ...killing, involvedObject: { uid: 'pod-uid-0' } });

    expect(await readVerdict(deps.cluster, launch, pod)).toMatchObject({ kind: 'terminal' });
  });

  test('are not read while it runs', async () => {
    const { deps, launch, pod } = await podIn({ phase: 'Running', containerStatuses: [running('agent')] });
    refuseEvents(deps);

    const verdict = await readVerdict(deps.cluster, launch, pod);

    expect(verdict).toMatchObject({ kind: 'wait' });
    expect(await readHoldUp(deps.cluster, launch, pod, verdict)).toBe(verdict);
  });

  test('are not read for the hold-up of a Pod that is gone, or in trouble by its status', async () => {
    const { deps, launch, pod } = await podIn({
      phase: 'Pending',
      containerStatuses: [waiting('agent', 'ErrImagePull')],
    });
    refuseEvents(deps);
    const verdict = await readVerdict(deps.cluster, launch, pod);
    const wait = { kind: 'wait', detail: 'the Pod is gone', subject: {} } as const;

    expect(verdict).toMatchObject({ kind: 'grace' });
    expect(await readHoldUp(deps.cluster, launch, pod, verdict)).toBe(verdict);
    expect(await readHoldUp(deps.cluster, launch, undefined, wait)).toBe(wait);
  });

  test.each([
    { name: 'TypeError', trouble: new TypeError('x is undefined') },
    { name: 'TransientError', trouble: new TransientError('ClusterUnreachable', 'no answer') },
  ])('that cannot be read because of a $name leave no verdict', async ({ trouble }) => {
    const { deps, launch, pod } = await podIn(creating);
    deps.cluster.reports.events = async () => {
      throw trouble;
    };
    const verdict = await readVerdict(deps.cluster, launch, pod);

    await expect(readHoldUp(deps.cluster, launch, pod, verdict)).rejects.toBe(trouble);
  });

  test('that davit may not read leave the verdict of the status, which says so', async () => {
    const { deps, launch, pod } = await podIn(ended);
    deps.cluster.reports.events = async () => {
      throw new TerminalError('ClusterForbidden', 'events is forbidden');
    };

    expect(await readVerdict(deps.cluster, launch, pod)).toMatchObject({
      kind: 'terminal',
      detail: expect.stringMatching(/; its Events cannot be read: ClusterForbidden: events is forbidden$/),
    });
  });
});

describe('a Pod that is gone', () => {
  test('is judged by the last state of its own uid', async () => {
    const { deps, launch } = await podIn(creating);
    const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    const conditions = [{ type: 'DisruptionTarget', status: 'True', ...why }];
    deps.cluster.report(testAgentName, { phase: 'Failed', conditions });
    deps.cluster.pods.change(testAgentName, (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'another' } }));
    deps.cluster.report(testAgentName, creating);
    const another = await deps.cluster.pods.get('davit-agents', testAgentName);

    expect(await readVerdict(deps.cluster, launch, another)).toMatchObject({ kind: 'relaunch', code: 'NodeLost' });
    expect(await readVerdict(deps.cluster, launch, undefined)).toMatchObject({ kind: 'relaunch', code: 'NodeLost' });
  });
});

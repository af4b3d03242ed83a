import { terminated, waiting } from '../../../../support/pod-view.ts';
import type { Row } from './row.ts';
import type { TaxonomyLaunch } from './taxonomy-launch.ts';

const nowhere = { hostIP: '' };
const here = { hostIP: '10.0.0.7' };
const runningAgent = { name: 'agent', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } };

/** Makes the Pod's node report a status. */
function report(status: Record<string, unknown>) {
  return (launch: TaxonomyLaunch) => launch.report({ ...nowhere, ...status });
}

/** Waits until the scheduler has reported why it binds the Pod to no node. */
function untilScheduler(reason: string) {
  return async (launch: TaxonomyLaunch): Promise<void> => {
    await launch.podOnce(({ status }) => JSON.stringify(status?.['conditions'] ?? []).includes(`"${reason}"`));
  };
}

/** A row for a container that waits because of an error. */
function graceRow(reason: string, code: string, message: string): Row {
  return {
    signal: reason,
    step: 'PollHostIP',
    given: report({ phase: 'Pending', containerStatuses: [waiting('agent', reason, message)] }),
    first: 'PlacementPending',
    later: { afterSeconds: 10, code },
    detail: new RegExp(`${reason}: .*\\(for 30 s; grace is 30 s\\)`),
    notes: code,
  };
}

function disruptionRow(reason: string, code: string): Row {
  const message = `taken by ${reason}`;
  return {
    signal: `DisruptionTarget=True ${reason}`,
    step: 'PollHostIP',
    given: report({
      ...here,
      phase: 'Running',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
    }),
    first: code,
    detail: new RegExp(message),
  };
}

function failedRow(reason: string, code: string): Row {
  return {
    signal: `phase Failed, reason ${reason}`,
    step: 'PollHostIP',
    given: report({ phase: 'Failed', reason, message: 'why', containerStatuses: [terminated('agent', 137)] }),
    first: code,
    detail: new RegExp(reason),
  };
}

const waitsFor = (phase: string): Row => ({
  signal: `the phase or status "${phase}"`,
  step: 'PollHostIP',
  given: report({ phase, containerStatuses: [waiting('agent', phase)] }),
  first: 'PlacementPending',
  later: { afterSeconds: 1, code: 'PlacementDeadlineExceeded' },
  detail: new RegExp(`phase ${phase}; container agent waiting: ${phase}`),
});

/** Placing the Pod and reading its host: one or more rows for each row of the taxonomy. */
export const podRows: readonly Row[] = [
  {
    signal: 'PodScheduled=False Unschedulable',
    step: 'PollHostIP',
    spec: { nodeSelector: { gpu: 'yes' } },
    given: untilScheduler('Unschedulable'),
    first: 'PlacementPending',
    later: { afterSeconds: 1, code: 'PlacementDeadlineExceeded' },
    detail: /PollHostIP gave up after \d+ s of 900 s; at last: Unschedulable: 0\/1 nodes are available/,
    notes: 'Unschedulable',
  },
  {
    signal: 'SchedulingGated',
    step: 'PollHostIP',
    spec: { schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] },
    given: untilScheduler('SchedulingGated'),
    first: 'PlacementPending',
    later: { afterSeconds: 1, code: 'PlacementDeadlineExceeded' },
    detail: /at last: held by kueue\.x-k8s\.io\/admission; SchedulingGated/,
    notes: 'SchedulingGated',
  },
  {
    signal: 'phase Pending, all containers running, with a hostIP',
    step: 'PollHostIP',
    given: report({ ...here, phase: 'Pending', containerStatuses: [runningAgent] }),
    first: 'done',
  },
  {
    signal: 'phase Unknown',
    step: 'PollHostIP',
    given: report({ phase: 'Unknown' }),
    first: 'PlacementPending',
    later: { afterSeconds: 1, code: 'PlacementDeadlineExceeded' },
    detail: /phase Unknown.*node sandbox-node\)/,
  },
  ...['Creating', 'Waiting', 'Terminated'].map(waitsFor),
  {
    signal: 'hostIP empty although bound to a node',
    step: 'PollHostIP',
    given: report({ phase: 'Running', containerStatuses: [runningAgent] }),
    first: 'PlacementPending',
    later: { afterSeconds: 1, code: 'PlacementDeadlineExceeded' },
    detail: /at last: node sandbox-node reports no hostIP, which a NodePort needs; phase Running/,
  },
  {
    signal: 'the profile wants an address that the node has',
    step: 'PollHostIP',
    hostAddress: 'nodeInternalIP',
    given: report({ phase: 'Running', containerStatuses: [runningAgent] }),
    first: 'done',
  },
  {
    signal: 'the profile wants an address that the node lacks',
    step: 'PollHostIP',
    hostAddress: 'nodeExternalIP',
    given: report({ ...here, phase: 'Running', containerStatuses: [runningAgent] }),
    first: 'HostAddressMissing',
    detail: /node sandbox-node has no nodeExternalIP, .*; it has InternalIP 127\.0\.0\.1, Hostname sandbox-node/,
  },
  {
    signal: 'the profile wants a family of hostIPs that the node lacks',
    step: 'PollHostIP',
    hostAddress: 'hostIPv6',
    given: report({ ...here, hostIPs: [{ ip: here.hostIP }], phase: 'Running' }),
    first: 'HostAddressMissing',
    detail: /it has hostIP 10\.0\.0\.7/,
  },
  {
    signal: 'InvalidImageName',
    step: 'PollHostIP',
    given: report({ phase: 'Pending', containerStatuses: [waiting('agent', 'InvalidImageName', "couldn't parse")] }),
    first: 'ImageNameInvalid',
    detail: /couldn't parse.*image registry\.example\/agent:1\)/,
  },
  graceRow('ErrImagePull', 'ImagePullFailed', 'manifest unknown'),
  graceRow('ImagePullBackOff', 'ImagePullFailed', 'Back-off pulling image'),
  graceRow('RegistryUnavailable', 'ImagePullFailed', 'no route to registry.example'),
  graceRow('SignatureValidationFailed', 'ImagePullFailed', 'no signature'),
  graceRow('ErrImageNeverPull', 'ImageNotUsable', 'image is not present with pull policy of Never'),
  graceRow('ImageInspectError', 'ImageNotUsable', 'cannot inspect'),
  graceRow('CreateContainerConfigError', 'ContainerConfigInvalid', 'secret "tls" not found'),
  graceRow('CreateContainerError', 'ContainerStartFailed', 'no command specified'),
  graceRow('RunContainerError', 'ContainerStartFailed', 'exec: "agent": executable file not found in $PATH'),
  graceRow('CreatePodSandboxError', 'ContainerStartFailed', 'no CNI'),
  graceRow('PreCreateHookError', 'ContainerStartFailed', 'hook'),
  graceRow('PreStartHookError', 'ContainerStartFailed', 'hook'),
  graceRow('PostStartHookError', 'ContainerStartFailed', 'hook'),
  {
    signal: 'the Event FailedCreatePodSandBox',
    step: 'PollHostIP',
    given: async (launch) => {
      await launch.report({ ...nowhere, phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] });
      await launch.addEvent('FailedCreatePodSandBox', 'no IP addresses available in range set');
    },
    first: 'PlacementPending',
    later: { afterSeconds: 10, code: 'ContainerStartFailed' },
    detail: /FailedCreatePodSandBox: no IP addresses available in range set \(for 30 s/,
    notes: 'ContainerStartFailed',
  },
  {
    signal: 'the Event FailedMount',
    step: 'PollHostIP',
    given: async (launch) => {
      await launch.report({ ...nowhere, phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] });
      await launch.addEvent('FailedMount', 'MountVolume.SetUp failed: secret "tls" not found');
    },
    first: 'PlacementPending',
    later: { afterSeconds: 1, code: 'PlacementDeadlineExceeded' },
    detail: /FailedMount: MountVolume\.SetUp failed: secret "tls" not found/,
    notes: 'FailedMount',
  },
  {
    signal: 'CrashLoopBackOff',
    step: 'PollHostIP',
    given: report({
      phase: 'Running',
      containerStatuses: [
        { ...waiting('agent', 'CrashLoopBackOff', 'back-off 10s'), lastState: { terminated: { exitCode: 3 } } },
      ],
    }),
    first: 'ContainerTerminated',
    detail: /CrashLoopBackOff: back-off 10s, before that exit code 3/,
  },
  {
    signal: 'a regular container terminated',
    step: 'PollHostIP',
    given: report({ ...here, phase: 'Running', containerStatuses: [terminated('agent', 2, 'Error')] }),
    first: 'ContainerTerminated',
    detail: /exit code 2/,
  },
  {
    signal: 'an init container exited non-zero',
    step: 'PollHostIP',
    spec: { initContainers: [{ name: 'fetch', image: 'registry.example/fetch:1' }] },
    given: report({ phase: 'Pending', initContainerStatuses: [terminated('fetch', 4, 'Error')] }),
    first: 'InitContainerFailed',
    detail: /exit code 4.*container fetch, image registry\.example\/fetch:1\)/,
  },
  {
    signal: 'OOMKilled',
    step: 'PollHostIP',
    spec: {
      containers: [{ name: 'agent', image: 'registry.example/agent:1', resources: { limits: { memory: '64Mi' } } }],
    },
    given: report({ phase: 'Failed', containerStatuses: [terminated('agent', 137, 'OOMKilled')] }),
    first: 'OutOfMemory',
    detail: /OOMKilled; memory limit: 64Mi/,
  },
  disruptionRow('PreemptionByScheduler', 'PodPreempted'),
  disruptionRow('EvictionByEvictionAPI', 'PodEvicted'),
  disruptionRow('DeletionByTaintManager', 'NodeLost'),
  disruptionRow('DeletionByPodGC', 'NodeLost'),
  disruptionRow('TerminationByKubelet', 'PodEvicted'),
  {
    signal: 'reason Evicted, by a kubelet that is short of memory',
    step: 'PollHostIP',
    given: async (launch) => {
      const taken = await launch.podOnce(({ status }) => status?.['startTime'] !== undefined);
      await launch.sandbox.node.evict(taken);
    },
    first: 'PodEvicted',
    detail: /The node was low on resource: memory/,
  },
  failedRow('Preempting', 'PodPreempted'),
  failedRow('NodeLost', 'NodeLost'),
  failedRow('Shutdown', 'NodeLost'),
  failedRow('NodeShutdown', 'NodeLost'),
  failedRow('Terminated', 'NodeLost'),
  {
    signal: 'phase Succeeded before the agent connected',
    step: 'PollHostIP',
    given: report({ ...here, phase: 'Succeeded', containerStatuses: [terminated('agent', 0, 'Completed')] }),
    first: 'PodSucceeded',
    detail: /exit code 0/,
  },
  failedRow('OutOfcpu', 'PodFailed'),
  failedRow('DeadlineExceeded', 'PodLifetimeExceeded'),
  {
    signal: 'deletionTimestamp set',
    step: 'PollHostIP',
    given: async ({ sandbox, plan }) => {
      const pod = sandbox.store.get('pods', plan.namespace, plan.agentName);
      if (pod === undefined) throw new Error('there is no Pod');
      const metadata = { ...pod.metadata, finalizers: ['example.com/held'] };
      sandbox.store.update('pods', { ...pod, metadata });
      sandbox.store.delete('pods', plan.namespace, plan.agentName);
    },
    first: 'DeletedExternally',
    detail: /is being deleted since/,
  },
  {
    signal: 'Pod 404',
    step: 'PollHostIP',
    given: ({ sandbox, plan }) => {
      sandbox.store.delete('pods', plan.namespace, plan.agentName, { gracePeriodSeconds: 0 });
    },
    first: 'DeletedExternally',
    detail: /the Pod is gone/,
  },
  {
    signal: 'Pod 404, and an Event that explains it',
    step: 'PollHostIP',
    given: async (launch) => {
      await launch.addEvent('TaintManagerEviction', 'Marking for deletion Pod');
      const { sandbox, plan } = launch;
      sandbox.store.delete('pods', plan.namespace, plan.agentName, { gracePeriodSeconds: 0 });
    },
    first: 'NodeLost',
    detail: /the Pod is gone: TaintManagerEviction/,
  },
  {
    signal: '410 Gone on a watch',
    step: 'PollHostIP',
    given: async (launch) => {
      await launch.report({ ...nowhere, phase: 'Pending' });
      launch.fault({ verb: 'watch', resource: 'pods' }, { kind: 'expire-watch' });
      launch.sandbox.faults.onRequest(({ verb }) => {
        if (verb === 'watch') void launch.report({ ...here, phase: 'Running' });
      });
    },
    first: 'done',
  },
  {
    signal: 'Running, token published, no connect',
    step: 'PublishToken',
    given: () => {},
    first: 'ConnectPending',
    later: { afterSeconds: 1, code: 'ConnectDeadlineExceeded' },
    detail:
      /PublishToken gave up after 600 s of 600 s; at last: the agent has not connected; its token says \S+:3\d{4}; /,
  },
];

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

type PodRow = Omit<Row, 'step' | 'first' | 'later'>;

/** A row for a Pod whose first look decides. */
function firstRow(first: string, row: PodRow): Row {
  return { step: 'PollHostIP', first, ...row };
}

/** A row for a Pod that davit waits for until the deadline. */
function waitRow(row: PodRow): Row {
  const later = { afterSeconds: 1, code: 'PlacementDeadlineExceeded' };
  return { step: 'PollHostIP', first: 'PlacementPending', later, ...row };
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
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason, message }];
  return firstRow(code, {
    signal: `DisruptionTarget=True ${reason}`,
    given: report({ ...here, phase: 'Running', conditions }),
    detail: new RegExp(message),
  });
}

function failedRow(reason: string, code: string): Row {
  return firstRow(code, {
    signal: `phase Failed, reason ${reason}`,
    given: report({ phase: 'Failed', reason, message: 'why', containerStatuses: [terminated('agent', 137)] }),
    detail: new RegExp(reason),
  });
}

const waitsFor = (phase: string): Row =>
  waitRow({
    signal: `the phase or status "${phase}"`,
    given: report({ phase, containerStatuses: [waiting('agent', phase)] }),
    detail: new RegExp(`phase ${phase}; container agent waiting: ${phase}`),
  });

/** Placing the Pod and reading its host: one or more rows for each row of the taxonomy. */
export const podRows: readonly Row[] = [
  waitRow({
    signal: 'PodScheduled=False Unschedulable',
    spec: { nodeSelector: { gpu: 'yes' } },
    given: untilScheduler('Unschedulable'),
    detail: /PollHostIP gave up after \d+ s of 900 s; at last: Unschedulable: 0\/1 nodes are available/,
    notes: 'Unschedulable',
  }),
  waitRow({
    signal: 'SchedulingGated',
    spec: { schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] },
    given: untilScheduler('SchedulingGated'),
    detail: /at last: held by kueue\.x-k8s\.io\/admission; SchedulingGated/,
    notes: 'SchedulingGated',
  }),
  firstRow('done', {
    signal: 'phase Pending, all containers running, with a hostIP',
    given: report({ ...here, phase: 'Pending', containerStatuses: [runningAgent] }),
  }),
  waitRow({
    signal: 'phase Unknown',
    given: report({ phase: 'Unknown' }),
    detail: /phase Unknown.*node sandbox-node\)/,
  }),
  ...['Creating', 'Waiting', 'Terminated'].map(waitsFor),
  waitRow({
    signal: 'hostIP empty although bound to a node',
    given: report({ phase: 'Running', containerStatuses: [runningAgent] }),
    detail: /at last: node sandbox-node reports no hostIP, which a NodePort needs; phase Running/,
  }),
  firstRow('done', {
    signal: 'the profile wants an address that the node has',
    hostAddress: 'nodeInternalIP',
    given: report({ phase: 'Running', containerStatuses: [runningAgent] }),
  }),
  firstRow('HostAddressMissing', {
    signal: 'the profile wants an address that the node lacks',
    hostAddress: 'nodeExternalIP',
    given: report({ ...here, phase: 'Running', containerStatuses: [runningAgent] }),
    detail: /node sandbox-node has no nodeExternalIP, .*; it has InternalIP 127\.0\.0\.1, Hostname sandbox-node/,
  }),
  firstRow('HostAddressMissing', {
    signal: 'the profile wants a family of hostIPs that the node lacks',
    hostAddress: 'hostIPv6',
    given: report({ ...here, hostIPs: [{ ip: here.hostIP }], phase: 'Running' }),
    detail: /it has hostIP 10\.0\.0\.7/,
  }),
  firstRow('ImageNameInvalid', {
    signal: 'InvalidImageName',
    given: report({ phase: 'Pending', containerStatuses: [waiting('agent', 'InvalidImageName', "couldn't parse")] }),
    detail: /couldn't parse.*image registry\.example\/agent:1\)/,
  }),
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
  waitRow({
    signal: 'the Event FailedMount',
    given: async (launch) => {
      await launch.report({ ...nowhere, phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] });
      await launch.addEvent('FailedMount', 'MountVolume.SetUp failed: secret "tls" not found');
    },
    detail: /FailedMount: MountVolume\.SetUp failed: secret "tls" not found/,
    notes: 'FailedMount',
  }),
  firstRow('ContainerTerminated', {
    signal: 'CrashLoopBackOff',
    given: report({
      phase: 'Running',
      containerStatuses: [
        { ...waiting('agent', 'CrashLoopBackOff', 'back-off 10s'), lastState: { terminated: { exitCode: 3 } } },
      ],
    }),
    detail: /CrashLoopBackOff: back-off 10s, before that exit code 3/,
  }),
  firstRow('ContainerTerminated', {
    signal: 'a regular container terminated',
    given: report({ ...here, phase: 'Running', containerStatuses: [terminated('agent', 2, 'Error')] }),
    detail: /exit code 2/,
  }),
  firstRow('InitContainerFailed', {
    signal: 'an init container exited non-zero',
    spec: { initContainers: [{ name: 'fetch', image: 'registry.example/fetch:1' }] },
    given: report({ phase: 'Pending', initContainerStatuses: [terminated('fetch', 4, 'Error')] }),
    detail: /exit code 4.*container fetch, image registry\.example\/fetch:1\)/,
  }),
  firstRow('OutOfMemory', {
    signal: 'OOMKilled',
    spec: {
      containers: [{ name: 'agent', image: 'registry.example/agent:1', resources: { limits: { memory: '64Mi' } } }],
    },
    given: report({ phase: 'Failed', containerStatuses: [terminated('agent', 137, 'OOMKilled')] }),
    detail: /OOMKilled; memory limit: 64Mi/,
  }),
  disruptionRow('PreemptionByScheduler', 'PodPreempted'),
  disruptionRow('EvictionByEvictionAPI', 'PodEvicted'),
  disruptionRow('DeletionByTaintManager', 'NodeLost'),
  disruptionRow('DeletionByPodGC', 'NodeLost'),
  disruptionRow('TerminationByKubelet', 'PodEvicted'),
  firstRow('PodEvicted', {
    signal: 'reason Evicted, by a kubelet that is short of memory',
    given: async (launch) => {
      const taken = await launch.podOnce(({ status }) => status?.['startTime'] !== undefined);
      await launch.sandbox.node.evict(taken);
    },
    detail: /The node was low on resource: memory/,
  }),
  failedRow('Preempting', 'PodPreempted'),
  failedRow('NodeLost', 'NodeLost'),
  failedRow('Shutdown', 'NodeLost'),
  failedRow('NodeShutdown', 'NodeLost'),
  failedRow('Terminated', 'NodeLost'),
  firstRow('PodSucceeded', {
    signal: 'phase Succeeded before the agent connected',
    given: report({ ...here, phase: 'Succeeded', containerStatuses: [terminated('agent', 0, 'Completed')] }),
    detail: /exit code 0/,
  }),
  failedRow('OutOfcpu', 'PodFailed'),
  failedRow('DeadlineExceeded', 'PodLifetimeExceeded'),
  firstRow('DeletedExternally', {
    signal: 'deletionTimestamp set',
    given: async ({ sandbox, plan }) => {
      const pod = sandbox.store.get('pods', plan.namespace, plan.agentName);
      if (pod === undefined) throw new Error('there is no Pod');
      const metadata = { ...pod.metadata, finalizers: ['example.com/held'] };
      sandbox.store.update('pods', { ...pod, metadata });
      sandbox.store.delete('pods', plan.namespace, plan.agentName);
    },
    detail: /is being deleted since/,
  }),
  firstRow('DeletedExternally', {
    signal: 'Pod 404',
    given: ({ sandbox, plan }) => {
      sandbox.store.delete('pods', plan.namespace, plan.agentName, { gracePeriodSeconds: 0 });
    },
    detail: /the Pod is gone/,
  }),
  firstRow('NodeLost', {
    signal: 'Pod 404, and an Event that explains it',
    given: async (launch) => {
      await launch.addEvent('TaintManagerEviction', 'Marking for deletion Pod');
      const { sandbox, plan } = launch;
      sandbox.store.delete('pods', plan.namespace, plan.agentName, { gracePeriodSeconds: 0 });
    },
    detail: /the Pod is gone: TaintManagerEviction/,
  }),
  firstRow('done', {
    signal: '410 Gone on a watch',
    given: async (launch) => {
      await launch.report({ ...nowhere, phase: 'Pending' });
      launch.fault({ verb: 'watch', resource: 'pods' }, { kind: 'expire-watch' });
      launch.sandbox.faults.onRequest(({ verb }) => {
        if (verb === 'watch') void launch.report({ ...here, phase: 'Running' });
      });
    },
  }),
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

import { DavitError, TransientError } from '../../core/errors/errors.ts';
import type { LaunchState } from '../../core/launch/execution-state.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { isUnschedulable, withAutoscaler } from '../../core/pod/autoscaler-words.ts';
import { judgeDisruption } from '../../core/pod/judge-disruption.ts';
import { isEnd, judgeDisappearance, judgeEnd } from '../../core/pod/judge-events.ts';
import { judgePod } from '../../core/pod/judge-pod.ts';
import { judgePodSetup, mayHaveSetupTrouble } from '../../core/pod/judge-pod-setup.ts';
import type { EventView, PodView } from '../../core/pod/kubernetes-objects.ts';
import type { PodVerdict } from '../../core/pod/pod-verdict.ts';
import type { Cluster } from '../../ports/cluster.ts';

/** A launch whose Pod was created, with its placement if an earlier step has seen one. */
export type LaunchWithPod = LaunchPlan & Pick<LaunchState, 'pod'> & Partial<Pick<LaunchState, 'placement'>>;

/** The parts of a cluster that verdicts need. */
export type PodSource = Pick<Cluster, 'pods' | 'reports'>;

/** A watch yields past changes at once, so this time is enough. */
const pastMs = 2000;

/**
 * Judges a Pod by its status. For a Pod that has ended, is gone or fits on no node, reads the Events as well, and for one
 * that is gone the last known state.
 *
 * @param pod the seen Pod, or another one of its name; undefined when it is gone
 * @throws TransientError when the cluster cannot be read
 */
export async function readVerdict(
  source: PodSource,
  launch: LaunchWithPod,
  pod: PodView | undefined,
): Promise<PodVerdict> {
  const verdict = judgePod(pod, launch.pod.uid);
  if (pod?.metadata.uid !== launch.pod.uid) {
    const last = await readLastState(source, launch);
    return (last && judgeDisruption(last)) ?? (await withEvents(source, launch, verdict, judgeDisappearance));
  }
  if (isEnd(verdict)) return withEvents(source, launch, verdict, (events) => judgeEnd(verdict, events));
  return isUnschedulable(verdict)
    ? withEvents(source, launch, verdict, (events) => withAutoscaler(verdict, events))
    : verdict;
}

/**
 * Judges a Pod in which no container has started by its Events, too: until then, a status without trouble proves too
 * little.
 *
 * @throws TransientError when the cluster cannot be read
 */
export async function readHoldUp(
  source: PodSource,
  launch: LaunchWithPod,
  pod: PodView | undefined,
  verdict: PodVerdict,
): Promise<PodVerdict> {
  if (verdict.kind !== 'wait' || pod === undefined || !mayHaveSetupTrouble(pod)) return verdict;
  return withEvents(source, launch, verdict, (events) => judgePodSetup(pod, events));
}

/**
 * Reads the last state of a deleted Pod, as far as the API server still has it. When a node is deleted, the cluster
 * marks and deletes its Pods at once, possibly between two attempts of a step, and no Event shows it.
 */
async function readLastState({ pods }: PodSource, launch: LaunchWithPod): Promise<PodView | undefined> {
  const since = (launch.placement ?? launch.pod).resourceVersion;
  let last: PodView | undefined;
  for await (const past of pods.observe(launch.namespace, launch.agentName, { since, forMs: pastMs })) {
    if (past?.metadata.uid === launch.pod.uid) last = past;
  }
  return last;
}

/**
 * Lets the Pod's Events overrule a verdict. A cluster that forbids reading Events fails no launch for that, but the
 * verdict's detail says so.
 */
async function withEvents(
  source: PodSource,
  launch: LaunchWithPod,
  verdict: PodVerdict,
  judge: (events: EventView[]) => PodVerdict | undefined,
): Promise<PodVerdict> {
  try {
    return judge(await readEvents(source, launch)) ?? verdict;
  } catch (error) {
    if (!(error instanceof DavitError) || error instanceof TransientError) throw error;
    return { ...verdict, detail: `${verdict.detail}; its Events cannot be read: ${error.message}` };
  }
}

async function readEvents({ reports }: PodSource, launch: LaunchWithPod): Promise<EventView[]> {
  const events = await reports.events(launch.namespace, launch.agentName);
  return events.filter(({ involvedObject: { uid } }) => uid === undefined || uid === launch.pod.uid);
}

import type { RelaunchCode } from './error-codes.ts';
import type { PodView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';
import { nodeOf, wordsOf } from './pod-words.ts';

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
const disruptions: ReadonlyMap<string, RelaunchCode> = new Map([
  ['PreemptionByScheduler', 'PodPreempted'],
  ['EvictionByEvictionAPI', 'PodEvicted'],
  ['TerminationByKubelet', 'PodEvicted'],
  ['DeletionByTaintManager', 'NodeLost'],
  ['DeletionByPodGC', 'NodeLost'],
]);

/** What a kubelet gives as the reason of a Pod that it has failed itself. */
const kubeletsReasons: ReadonlyMap<string, RelaunchCode> = new Map([
  ['Evicted', 'PodEvicted'],
  ['Preempting', 'PodPreempted'],
  ['NodeShutdown', 'NodeLost'],
  ['Shutdown', 'NodeLost'],
  ['Terminated', 'NodeLost'],
]);

/**
 * Says whether infrastructure took a Pod, and who did. It comes before all that is said of its containers, which are
 * killed with it, and before its deletion, which is how it is taken.
 *
 * @returns undefined when nothing speaks of a disruption
 */
export function judgeDisruption(pod: PodView): PodVerdict | undefined {
  const { phase, reason = '', message, conditions = [] } = pod.status ?? {};
  const condition = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  // A virtual kubelet has words of its own for Pods that are well: a kubelet's count once the phase is Failed.
  const byReason = reason === 'NodeLost' ? 'NodeLost' : phase === 'Failed' ? kubeletsReasons.get(reason) : undefined;
  if (condition === undefined && byReason === undefined) return undefined;

  // TerminationByKubelet alone does not say whether the node ran short or was shut down.
  const code = byReason ?? disruptions.get(condition?.reason ?? '') ?? 'PodEvicted';
  const target = condition && wordsOf({ ...condition, reason: `DisruptionTarget ${condition.reason ?? ''}`.trim() });
  const says = [target, wordsOf({ reason, message })].filter((part) => part).join('; ');
  return { kind: 'relaunch', code, says, about: nodeOf(pod) };
}

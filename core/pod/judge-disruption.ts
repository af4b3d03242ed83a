import type { RelaunchCode } from '../errors/error-codes.ts';
import { nodeOf, wordsOf } from './describe-pod.ts';
import { epochMsOf } from './event-times.ts';
import type { PodView } from './kubernetes-objects.ts';
import type { RelaunchVerdict } from './pod-verdict.ts';

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
const disruptions: ReadonlyMap<string, RelaunchCode> = new Map([
  ['PreemptionByScheduler', 'PodPreempted'],
  ['EvictionByEvictionAPI', 'PodEvicted'],
  ['TerminationByKubelet', 'PodEvicted'],
  ['DeletionByTaintManager', 'NodeLost'],
  ['DeletionByPodGC', 'NodeLost'],
]);

/** The reasons of Pods that the kubelet itself has failed. */
const kubeletsReasons: ReadonlyMap<string, RelaunchCode> = new Map([
  ['Evicted', 'PodEvicted'],
  ['Preempting', 'PodPreempted'],
  ['NodeShutdown', 'NodeLost'],
  ['Shutdown', 'NodeLost'],
  ['Terminated', 'NodeLost'],
]);

/**
 * Judges whether infrastructure took a Pod. This rule comes before the rules on containers, which die with the Pod, and
 * on deletion, which is how infrastructure takes a Pod. `judge-events.ts` has the rules for a Pod that is gone or has ended.
 *
 * @returns undefined when nothing shows a disruption
 */
export function judgeDisruption(pod: PodView): RelaunchVerdict | undefined {
  const { phase, reason = '', message, conditions = [] } = pod.status ?? {};
  const condition = conditions.find(isDisruptionTarget);
  // A virtual kubelet may use these reasons for healthy Pods: they count only once the phase is Failed.
  const byReason = reason === 'NodeLost' ? 'NodeLost' : phase === 'Failed' ? kubeletsReasons.get(reason) : undefined;
  if (condition === undefined && byReason === undefined) return undefined;

  // TerminationByKubelet alone does not say whether the node ran short or was shut down.
  const code = byReason ?? disruptions.get(condition?.reason ?? '') ?? 'PodEvicted';
  const target = condition && wordsOf({ ...condition, reason: `DisruptionTarget ${condition.reason ?? ''}`.trim() });
  const detail = [target, wordsOf({ reason, message })].filter((part) => part).join('; ');
  return { kind: 'relaunch', code, detail, subject: nodeOf(pod) };
}

/** Judges whether infrastructure took a Pod, or had begun to, at a moment. @returns undefined if it began later, too */
export function judgeDisruptionBy(pod: PodView, epochMs: number): RelaunchVerdict | undefined {
  const target = pod.status?.conditions?.find(isDisruptionTarget);
  return epochMsOf(target?.lastTransitionTime) > epochMs ? undefined : judgeDisruption(pod);
}

function isDisruptionTarget({ type, status }: { type: string; status: string }): boolean {
  return type === 'DisruptionTarget' && status === 'True';
}

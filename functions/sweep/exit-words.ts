import { stateOf, wordsOf } from '../../core/pod/describe-pod.ts';
import { judgeDisruption } from '../../core/pod/judge-disruption.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';

/** How an agent's Pod ended, in the cluster's words. */
export interface AgentExit {
  words: string;
  /** Whether the Pod has failed: then its launch has, too, and its log and Events are kept. */
  isFailure: boolean;
  /** Whether there is no Pod. */
  isGone: boolean;
  /** Whether infrastructure took the Pod: it is gone, or was evicted, or its node is lost. */
  isLoss: boolean;
}

/** Describes the end of a Pod: `phase Failed; Evicted: low on memory; container agent terminated with exit code 137`. */
export function exitOf(pod: PodView | undefined): AgentExit {
  if (pod === undefined) return { words: "the agent's Pod is gone", isFailure: false, isGone: true, isLoss: true };
  const { phase, reason, message, containerStatuses = [] } = pod.status ?? {};
  const containers = containerStatuses.filter(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0).map(stateOf);
  const disruption = judgeDisruption(pod);
  const parts = [`phase ${phase}`, disruption?.detail ?? wordsOf({ reason, message }), ...containers];
  const words = parts.filter((part) => part !== '').join('; ');
  return {
    words: `the agent's Pod has ended: ${words}`,
    isFailure: phase === 'Failed',
    isGone: false,
    isLoss: disruption !== undefined,
  };
}

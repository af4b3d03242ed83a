import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { furtherLookMs } from './look.ts';
import type { Conclusion, PodMonitor } from './pod-monitor.ts';

interface ObservePodDeps {
  pods: Cluster['pods'];
  monitor: PodMonitor;
  nowEpochMs: () => number;
}

/** One look at a launch's Pod. */
export interface PodLook {
  forMs: number;
  /** The resourceVersion to start at; @default the Pod's present state */
  since?: string;
  signal?: AbortSignal;
}

/**
 * The result of a look: the answer of `answerOf`, or otherwise the monitor's conclusion; neither when the look was
 * aborted.
 */
export interface Observed<Answer> {
  answer?: Answer;
  conclusion?: Conclusion;
}

/**
 * Looks at a launch's Pod and judges each of its states. A Pod in trouble may never change again, so the look judges it
 * once more when its grace period ends, and lasts longer if that is soon.
 *
 * @param answerOf ends the look with what it returns, unless that is undefined
 * @throws as `PodMonitor.see`
 */
export async function observePod<Answer>(
  { pods, monitor, nowEpochMs }: ObservePodDeps,
  { namespace, agentName }: Pick<LaunchPlan, 'namespace' | 'agentName'>,
  { forMs, signal, ...start }: PodLook,
  answerOf: (pod: PodView | undefined) => Promise<Answer | undefined>,
): Promise<Observed<Answer>> {
  const startedEpochMs = nowEpochMs();
  const endEpochMs = startedEpochMs + forMs;
  let untilEpochMs = endEpochMs;
  let since: { since?: string } = start;
  for (;;) {
    const options = { forMs: Math.max(0, untilEpochMs - nowEpochMs()), ...since, ...(signal && { signal }) };
    for await (const pod of pods.observe(namespace, agentName, options)) {
      await monitor.see(pod);
      const answer = await answerOf(pod);
      if (answer !== undefined) return { answer };
      if (untilEpochMs > (monitor.graceEndEpochMs ?? untilEpochMs)) break;
    }
    if (signal?.aborted) return {};
    since = {};
    const { graceEndEpochMs = untilEpochMs } = monitor;
    if (nowEpochMs() < graceEndEpochMs && graceEndEpochMs < untilEpochMs) {
      untilEpochMs = graceEndEpochMs;
      continue;
    }
    const conclusion = await monitor.conclude();
    const now = nowEpochMs();
    const furtherMs = furtherLookMs(startedEpochMs, now, conclusion.graceEndEpochMs);
    if (now < endEpochMs) untilEpochMs = Math.min(endEpochMs, conclusion.graceEndEpochMs ?? endEpochMs);
    else if (furtherMs !== undefined) untilEpochMs = now + furtherMs;
    else return { conclusion };
  }
}

import { containersOf, nodeOf, phaseWords, stateOf, wordsOf } from './describe-pod.ts';
import { hasEnded } from './has-ended.ts';
import { judgeContainers } from './judge-containers.ts';
import { judgeDisruption } from './judge-disruption.ts';
import type { PodView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';

/**
 * Judges the Pod of a launch whose agent has not connected. Only the phases `Succeeded` and `Failed` are final. davit waits
 * on every other phase, known or not, because a node may report late (JENKINS-68649).
 *
 * @param pod the Pod; undefined when there is none
 * @param uid the uid of the Pod that the launch made
 * @returns the verdict of the first rule that applies, gravest first
 */
export function judgePod(pod: PodView | undefined, uid: string): PodVerdict {
  if (pod === undefined) return deletedExternally('the Pod is gone');
  if (pod.metadata.uid !== uid) {
    return deletedExternally(`Pod ${pod.metadata.name} was replaced: uid ${pod.metadata.uid}, not ${uid}`);
  }
  return (
    judgeDisruption(pod) ??
    judgeDeletion(pod) ??
    judgePhase(pod) ??
    judgeCompletion(pod) ??
    judgeContainers(pod) ??
    judgeScheduling(pod) ??
    stillComing(pod)
  );
}

function deletedExternally(detail: string): PodVerdict {
  return { kind: 'relaunch', code: 'DeletedExternally', detail, subject: {} };
}

function judgeDeletion({ metadata: { name, deletionTimestamp } }: PodView): PodVerdict | undefined {
  if (deletionTimestamp === undefined) return undefined;
  return deletedExternally(`Pod ${name} is being deleted since ${deletionTimestamp}`);
}

/**
 * A Pod that failed without a reason of its own failed with its container, and gets the container's code: the same end has
 * the same code, whether davit sees it before or after the phase changes.
 */
function judgePhase(pod: PodView): PodVerdict | undefined {
  if (!hasEnded(pod)) return undefined;
  const { phase, reason } = pod.status ?? {};
  const container = phase === 'Failed' && reason === undefined ? judgeContainers(pod) : undefined;
  if (container?.kind === 'terminal') return container;
  const detail = saysOf(pod);
  const subject = nodeOf(pod);
  if (phase === 'Succeeded') return { kind: 'terminal', code: 'PodSucceeded', detail, subject };
  if (reason !== 'DeadlineExceeded') return { kind: 'terminal', code: 'PodFailed', detail, subject };
  const allowed = pod.spec.activeDeadlineSeconds;
  const limit = allowed === undefined ? '' : `; activeDeadlineSeconds: ${allowed}`;
  return { kind: 'terminal', code: 'PodLifetimeExceeded', detail: `${detail}${limit}`, subject };
}

/** A kubelet reports that the last container has exited with code 0 before it reports that the Pod has succeeded. */
function judgeCompletion(pod: PodView): PodVerdict | undefined {
  const agents = containersOf(pod).filter(({ role }) => role === 'regular');
  const isComplete =
    agents.length === pod.spec.containers.length &&
    agents.every(({ status }) => status.state?.terminated?.exitCode === 0);
  return isComplete ? { kind: 'terminal', code: 'PodSucceeded', detail: saysOf(pod), subject: nodeOf(pod) } : undefined;
}

function judgeScheduling(pod: PodView): PodVerdict | undefined {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason === undefined) return undefined;
  const gates = (pod.spec.schedulingGates ?? []).map(({ name }) => name);
  const held = gates.length > 0 ? `held by ${gates.join(', ')}; ` : '';
  return { kind: 'wait', signal: scheduled.reason, detail: `${held}${wordsOf(scheduled)}`, subject: {} };
}

/** Describes a Pod that is over in the cluster's words. */
function saysOf(pod: PodView): string {
  const { phase, reason, message } = pod.status ?? {};
  return [`phase ${phase}`, reason, message, ...containersOf(pod).map(({ status }) => stateOf(status))]
    .filter((part) => part !== undefined && part !== '')
    .join('; ');
}

function stillComing(pod: PodView): PodVerdict {
  return { kind: 'wait', detail: phaseWords(pod), subject: nodeOf(pod) };
}

import type { JenkinsNode, QueueItem } from './answers.ts';
import { readWhy } from './read-why.ts';
import type { SessionWatch } from './session-watch.ts';

type Waiting = Pick<QueueItem, 'task' | 'why'>;

/**
 * Says whether a step of a pipeline may go on at an idle node. After a restart of Jenkins, the step runs on in its Pod,
 * and some time later its pipeline waits in the queue for this very node.
 *
 * @see org.jenkinsci.plugins.workflow.support.steps.ExecutorStepExecution
 */
export function mayResume(
  session: SessionWatch,
  { displayName, description }: Pick<JenkinsNode, 'displayName' | 'description'>,
  items: readonly Waiting[],
): boolean {
  if (!session.hasRestartedSince(description ?? '')) return false;
  return session.isYoung || items.some((item) => nodeThatWaits(item, (name) => name === displayName) === displayName);
}

/**
 * Says whether a queued part of a pipeline waits, after a restart of Jenkins, to go on at its own idle node: no other agent
 * could run it. A new part whose only node has not come back yet looks the same, so this holds for some minutes only.
 */
export function waitsToResume(session: SessionWatch, item: Waiting, nodes: readonly JenkinsNode[]): boolean {
  if (!session.isYoung) return false;
  const named = nodeThatWaits(item, (name) => nodes.some(({ displayName }) => displayName === name));
  const node = nodes.find(({ displayName }) => displayName === named);
  return node?.idle === true && session.hasRestartedSince(node.description ?? '');
}

/** The only node that may run a queued part of a pipeline, as far as the reason why it waits names one. */
function nodeThatWaits({ task, why }: Waiting, isNode: (name: string) => boolean): string | undefined {
  if (typeof task.labelExpression === 'string') return undefined;
  const named = readWhy(why ?? '', isNode);
  return named !== undefined && 'node' in named ? named.node : undefined;
}

import type { JenkinsNode, QueueItem } from './answers.ts';
import { readWhy } from './read-why.ts';
import type { SessionWatch } from './session-watch.ts';

/**
 * Says whether a step of a pipeline may go on at an idle node. After a restart of Jenkins, the step runs on in its Pod,
 * and some time later its pipeline waits in the queue for this very node.
 *
 * @see org.jenkinsci.plugins.workflow.support.steps.ExecutorStepExecution
 */
export function mayResume(
  session: SessionWatch,
  { displayName, description }: JenkinsNode,
  items: readonly QueueItem[],
): boolean {
  if (!session.hasRestartedSince(description ?? '')) return false;
  return session.isYoung || items.some(({ why }) => why?.includes(`\u2018${displayName}\u2019`));
}

/**
 * Says whether a queued part of a pipeline waits, after a restart of Jenkins, to go on at its own idle node: no other agent
 * could run it. A new part whose only node has not come back yet looks the same, so this holds for some minutes only.
 */
export function waitsToResume(
  session: SessionWatch,
  { task, why }: Pick<QueueItem, 'task' | 'why'>,
  nodes: readonly JenkinsNode[],
): boolean {
  if (!session.isYoung || typeof task.labelExpression === 'string') return false;
  const named = readWhy(why ?? '', (name) => nodes.some(({ displayName }) => displayName === name));
  const node = named !== undefined && 'node' in named && nodes.find(({ displayName }) => displayName === named.node);
  return node !== false && node?.idle === true && session.hasRestartedSince(node.description ?? '');
}

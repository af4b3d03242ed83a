import type { JenkinsNode, QueueItem } from './answers.ts';
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

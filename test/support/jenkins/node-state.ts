import type { JenkinsBuild, JenkinsNode } from './records.ts';

/** The labels of a node, of which its own name is one. @see hudson.model.Node#getAssignedLabels */
export function labelsOf(node: JenkinsNode): ReadonlySet<string> {
  return new Set([...node.labels, node.name]);
}

/** `isTemporarilyOffline() || getChannel() == null`. @see hudson.model.Computer#isOffline */
export function isOffline(node: JenkinsNode): boolean {
  return node.temporaryOfflineCause !== undefined || node.channel === undefined;
}

/** Whether no executor has work. An offline node may be busy. @see hudson.model.Computer#isIdle */
export function isIdle(node: JenkinsNode): boolean {
  return node.executors.every((build) => build === undefined);
}

/**
 * The reason of an offline node, without the user: what `offlineCauseReason` exports. Jenkins removes everything up to
 * the last " : " of "Disconnected by USER : MESSAGE", and escapes HTML.
 *
 * @see jenkins.agents.IOfflineCause#getReason
 */
export function offlineReasonOf({ temporaryOfflineCause: cause, lostConnection }: JenkinsNode): string {
  if (cause === undefined) return escapeHtml(lostConnection ?? '');
  return escapeHtml(
    describeCause(cause.userId, cause.message).replace(/^Disconnected by [^]* : |^Disconnected by [^]*/, ''),
  );
}

/** @see hudson.slaves.OfflineCause.UserCause and `SlaveComputer.DisconnectedBy` in hudson/slaves/Messages.properties */
export function describeCause(userId: string, message: string | undefined): string {
  return `Disconnected by ${userId}${message === undefined ? '' : ` : ${message}`}`;
}

/** @see hudson.Util#escape */
function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', "'": '&#039;', '"': '&quot;' };
  return text.replaceAll(/[<>&'"]/g, (character) => entities[character] ?? character);
}

/** The builds that a node's executors run. */
export function buildsOn({ executors }: JenkinsNode): JenkinsBuild[] {
  return executors.filter((build) => build !== undefined);
}

import { maskSecrets } from '../../core/errors/mask-secrets.ts';
import { type LaunchId, labelKeys } from '../../core/launch/names.ts';
import {
  containerToTell,
  type Diagnostics,
  logTail,
  tellEvents,
  tellLog,
  withLastWords,
} from '../../core/pod/diagnostics.ts';
import { shorten } from '../../core/well-formed.ts';
import type { Cluster } from '../../ports/cluster.ts';

/** Where the Pod of a failed launch is. */
interface FailedAgent {
  launchId: LaunchId;
  namespace: string;
  agentName: string;
  /** The values to mask: those of the caller's environment variables. */
  secrets: readonly string[];
}

/**
 * Reads the cluster's information about a failed launch's Pod. It is for people, and nothing may depend on it. If a part
 * is unreadable, the result has the reason in its place. It says nothing of another owner's Pod that has the agent's name.
 */
export async function readDiagnostics(
  { pods, reports }: Pick<Cluster, 'pods' | 'reports'>,
  { launchId, namespace, agentName, secrets }: FailedAgent,
  nowEpochMs: number,
): Promise<Diagnostics> {
  const unread: string[] = [];

  async function unlessUnread<Read>(what: string, read: () => Promise<Read>): Promise<Read | undefined> {
    try {
      return await read();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      unread.push(shorten(maskSecrets(`${what}: ${why}`, secrets), 1024));
      return undefined;
    }
  }

  const [events = [], found] = await Promise.all([
    unlessUnread('events', () => reports.events(namespace, agentName)),
    unlessUnread('pod', () => pods.get(namespace, agentName)),
  ]);
  const isForeign = found !== undefined && found.metadata.labels?.[labelKeys.launchId] !== launchId;
  const pod = isForeign ? undefined : found;
  const ownEvents = isForeign ? events.filter(({ involvedObject: { uid } }) => uid !== found.metadata.uid) : events;
  const container = pod && containerToTell(pod);
  const log = container && (await unlessUnread('log', () => reports.log(namespace, agentName, container, logTail)));
  return {
    atEpochMs: nowEpochMs,
    events: tellEvents(ownEvents, secrets),
    ...(pod && container && log !== undefined
      ? { log: { container, text: tellLog(withLastWords(log, pod, container), secrets) } }
      : {}),
    unread,
  };
}

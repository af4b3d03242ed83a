import { EpochMs } from '../epoch-ms.ts';
import { maskSecrets } from '../errors/mask-secrets.ts';
import { shorten } from '../well-formed.ts';
import * as z from '../zod.ts';
import { containersOf } from './describe-pod.ts';
import { lastSeenEpochMs, newestFirst } from './event-times.ts';
import type { EventView, PodView } from './kubernetes-objects.ts';

/** An Event of the cluster about a Pod. */
export const SeenEvent = z.object({
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.int().check(z.gte(1)),
  lastSeenAtEpochMs: z.optional(EpochMs),
});
export type SeenEvent = z.infer<typeof SeenEvent>;

/** The cluster's last information about a failed launch's Pod, read before its removal; secrets are masked. */
export const Diagnostics = z.object({
  atEpochMs: EpochMs,
  /** The latest, newest first. */
  events: z.array(SeenEvent),
  /**
   * The end of the log of the container that failed, or else of the agent, and its termination message; absent when none
   * was started.
   */
  log: z.optional(z.object({ container: z.string(), text: z.string() })),
  /** The parts that davit could not read, and why. */
  unread: z.array(z.string()),
});
export type Diagnostics = z.infer<typeof Diagnostics>;

const mostEvents = 10;
const mostEventCharacters = 1024;
const mostLogBytes = 4096;

/** How much of a log davit reads: more than it keeps, so that it masks a secret before a cut could split it. */
export const logTail = { lines: 20, bytes: 64 * 1024 } as const;

/** Prepares the latest Events for the launch's record. */
export function tellEvents(events: readonly EventView[], secrets: readonly string[]): SeenEvent[] {
  return newestFirst(events)
    .slice(0, mostEvents)
    .map((event) => {
      const lastSeenAtEpochMs = lastSeenEpochMs(event);
      return {
        type: event.type ?? 'Normal',
        reason: event.reason ?? '',
        message: shorten(maskSecrets(event.message ?? '', secrets), mostEventCharacters),
        count: Math.max(1, event.series?.count ?? event.count ?? 1),
        ...(lastSeenAtEpochMs > 0 ? { lastSeenAtEpochMs } : {}),
      };
    });
}

/** Prepares the end of a log for the launch's record: whole characters, at most 4 KiB in UTF-8. */
export function tellLog(text: string, secrets: readonly string[]): string {
  const bytes = Buffer.from(maskSecrets(text, secrets).toWellFormed());
  if (bytes.length <= mostLogBytes) return bytes.toString();
  let start = bytes.length - mostLogBytes;
  while (((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start += 1; // the rest of a character that is cut
  return bytes.subarray(start).toString();
}

/** Puts a container's termination message after its log, unless that ends with it. */
export function withLastWords(log: string, pod: PodView, container: string): string {
  const { state, lastState } = containersOf(pod).find(({ status }) => status.name === container)?.status ?? {};
  const { message = '' } = state?.terminated ?? lastState?.terminated ?? {};
  return log.trimEnd().endsWith(message.trimEnd()) ? log : `${log}\ntermination message: ${message}`;
}

/**
 * Chooses the container whose log says most: one that ended badly before the agent's, the agent's before any other.
 *
 * @returns undefined when none was started
 */
export function containerToTell(pod: PodView): string | undefined {
  const started = containersOf(pod).filter(
    ({ status: { state, lastState } }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  const failed = started.find(({ status: { state, lastState } }) => {
    const end = state?.terminated ?? (state?.running ? undefined : lastState?.terminated);
    return end !== undefined && end.exitCode !== 0;
  });
  const agent = started.find(({ spec }) => spec?.env?.some(({ name }) => name === 'DAVIT_AGENT_NAME'));
  const regular = started.find(({ role }) => role === 'regular');
  return (failed ?? agent ?? regular)?.status.name;
}

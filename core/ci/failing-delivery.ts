import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';

/** One attempt of a CI system to deliver a webhook. */
export interface DeliveryAttempt {
  /** Names the attempt, to repeat it. GitHub's ids have 64 bits: too many for a number. */
  id: string;
  /** The same in every attempt of one delivery. */
  guid: string;
  event: string;
  hasSucceeded: boolean;
  /** When it began. It is in the list from its end on. */
  atEpochMs: number;
}

/** For how long CI systems keep deliveries, and davit has them repeated, in milliseconds: GitHub's three days. */
export const deliveryRetentionMs = 3 * 24 * 3_600_000;

/** How long after the second failed attempt the next one follows, in milliseconds; twice as long after each further one. */
const firstBackoffMs = 60_000;
const longestBackoffMs = 6 * 3_600_000;

/** For how long an attempt that davit has asked for may be missing from the list, in milliseconds. */
const underWayMs = 120_000;

/** A webhook that has not arrived yet. */
export const FailingDelivery = z.object({
  guid: z.string().check(z.minLength(1)),
  /** The latest attempt. */
  id: z.string().check(z.minLength(1)),
  /** The failed attempts, at least 1. */
  attempts: z.int().check(z.positive()),
  firstAtEpochMs: EpochMs,
  /** When davit asks for the next attempt. */
  repeatAtEpochMs: EpochMs,
  /** It has arrived, or is given up. @default neither */
  isSettled: z.optional(z.boolean()),
});
export type FailingDelivery = z.infer<typeof FailingDelivery>;

/**
 * Adds attempts to what is known of the deliveries of an event.
 *
 * @returns the deliveries that the attempts change. One that arrived at once is none of them.
 */
export function noteAttempts(
  known: readonly FailingDelivery[],
  attempts: readonly DeliveryAttempt[],
  event: string,
): FailingDelivery[] {
  const before = new Map(known.map((delivery) => [delivery.guid, delivery]));
  const ofEvent = attempts.filter((attempt) => attempt.event === event);
  return [...Map.groupBy(ofEvent, ({ guid }) => guid).entries()].flatMap(([guid, made]) => {
    const earlier = before.get(guid);
    if (made.some(({ hasSucceeded }) => hasSucceeded)) return earlier ? [{ ...earlier, isSettled: true }] : [];
    const inOrder = made.toSorted((one, other) => one.atEpochMs - other.atEpochMs);
    const [first, last] = [inOrder[0], inOrder.at(-1)];
    if (first === undefined || last === undefined) return [];
    const count = (earlier?.attempts ?? 0) + made.length;
    return [
      {
        guid,
        id: last.id,
        attempts: count,
        firstAtEpochMs: Math.min(earlier?.firstAtEpochMs ?? Infinity, first.atEpochMs),
        repeatAtEpochMs: last.atEpochMs + backoffMs(count),
      },
    ];
  });
}

function backoffMs(attempts: number): number {
  return attempts === 1 ? 0 : Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempts - 2));
}

/** Notes that davit is about to ask for an attempt, so that it does not ask twice while the list lacks it. */
export function repeatedAt(delivery: FailingDelivery, nowEpochMs: number): FailingDelivery {
  return { ...delivery, repeatAtEpochMs: nowEpochMs + Math.max(underWayMs, backoffMs(delivery.attempts + 1)) };
}

/** Says whether the CI system keeps a delivery no longer. */
export function isGivenUp({ firstAtEpochMs }: FailingDelivery, nowEpochMs: number): boolean {
  return nowEpochMs - firstAtEpochMs >= deliveryRetentionMs;
}

/** What a CI system allows in a minute besides its rate limit of an hour, in points, and what its requests cost. */
export interface RequestPoints {
  /** What it allows in any minute. */
  aMinute: number;
  ofRead: number;
  ofWrite: number;
  /** What registrations leave in each minute: the oldest doubts are read even while more agents wait than it takes. */
  keptForReads: number;
}

/**
 * What requests are for, the first first: a registration leaves only `keptForReads`, a retirement leaves room for a
 * registration, and a doubt leaves room for several and none to be had while a registration waits. `kept` is a doubt that
 * is read even then.
 */
export type RequestPurpose = 'registration' | 'retirement' | 'doubt' | 'kept';

/**
 * How long a slot is, in milliseconds: points are counted by slot. A CI system counts them by minutes of its own, whose
 * beginning davit does not know. Any minute touches at most 21 slots of 3 s, so 21 full slots must fit into it. With
 * longer slots, more requests would go out at once, and fewer in a minute: with slots of 10 s, 150 registrations in place
 * of 160.
 */
export const slotMs = 3000;

const slotsOfMinute = 60_000 / slotMs;
const slotsTouched = slotsOfMinute + 1;

/** How far into its slot an agent is asked to come, in milliseconds: `Retry-After` has whole seconds, rounded up. */
const arrivesWithinMs = 2000;

/** Finds the slot of a moment; they are numbered. */
export function slotOf(epochMs: number): number {
  return Math.floor(epochMs / slotMs);
}

/** The slots that a minute touches which has the present one in it. */
export function slotsAround(slot: number): number[] {
  return Array.from({ length: 2 * slotsOfMinute + 1 }, (_, index) => slot - slotsOfMinute + index);
}

/** The slots of the next minute. */
export function slotsAfter(slot: number): number[] {
  return Array.from({ length: slotsOfMinute }, (_, index) => slot + 1 + index);
}

/** Says when a slot begins. */
export function slotStart(slot: number): number {
  return slot * slotMs;
}

/** Says how many points of a slot may be used after a request for this purpose. */
export function mostOfSlot(points: RequestPoints, purpose: RequestPurpose): number {
  const all = Math.floor(points.aMinute / slotsTouched);
  const registrations = Math.floor((all - points.keptForReads / slotsOfMinute) / points.ofWrite) * points.ofWrite;
  switch (purpose) {
    case 'registration':
      return registrations;
    case 'retirement':
      return registrations - points.ofWrite;
    case 'doubt':
      return Math.floor((2 / 3) * registrations);
    case 'kept':
      return all;
    default:
      return purpose satisfies never;
  }
}

/** Says how many points are kept for reads in a slot. */
export function keptOfSlot(points: RequestPoints): number {
  return mostOfSlot(points, 'kept') - mostOfSlot(points, 'registration');
}

/** Says how many agents a CI system registers in a minute: 160 at GitHub. */
export function registrationsAMinute(points: RequestPoints): number {
  return (mostOfSlot(points, 'registration') / points.ofWrite) * slotsOfMinute;
}

/**
 * Says how many points may be used at once now, if each slot of the next minute has the same part of them.
 *
 *     slot       s-20 … s-1   s     s+1 … s+k   s+k+1 … s+20
 *     used       known        all   all         ahead: what is used now, a part in each
 *     a minute        └─── 21-k of those ─┴─ k ─┘
 *
 * The minute that ends with slot s+k has what the last slots have used, k full slots, and what is used now without the parts
 * of those k slots. That is to be no more than a minute allows, whatever k. What others have used ahead counts, too.
 *
 * @param used the points by slot; none where there are none
 */
export function roomAhead(points: RequestPoints, slot: number, used: ReadonlyMap<number, number>): number {
  const all = mostOfSlot(points, 'kept');
  const rooms = Array.from({ length: slotsOfMinute }, (_, full) => {
    const last = Array.from({ length: slotsOfMinute - full }, (__, index) => used.get(slot - 1 - index) ?? 0);
    const ahead = slotsAfter(slot + full).map((each) => (each > slot + slotsOfMinute ? 0 : (used.get(each) ?? 0)));
    const left = points.aMinute - (full + 1) * all - sumOf(last) - sumOf(ahead);
    return left / (1 - full / slotsOfMinute);
  });
  return Math.max(0, Math.floor(Math.min(...rooms)));
}

/**
 * Says how many slots ahead a registration may take its points from, if it is made now and its own slot is full. What the
 * last slots have used is known for good, and no slot takes more than its part. So whatever others take at the same moment,
 * and although nobody reads again, the minute that ends now has no more than it allows:
 *
 *     slot       s-20 … s-1   s … s+k     s+k+1 … s+20
 *     counted    known        all, full   known
 *
 * @param used the points by slot; none where there are none
 * @returns from 0 to 20
 */
export function slotsAhead(points: RequestPoints, slot: number, used: ReadonlyMap<number, number>): number {
  const all = mostOfSlot(points, 'kept');
  const usedIn = (each: number) => used.get(each) ?? 0;
  const last = sumOf(
    slotsAround(slot)
      .filter((each) => each < slot)
      .map(usedIn),
  );
  return slotsAfter(slot).filter((each, index) => {
    const beyond = sumOf(
      slotsAfter(slot)
        .filter((later) => later > each)
        .map(usedIn),
    );
    return last + (index + 2) * all + beyond <= points.aMinute;
  }).length;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/**
 * Says when a refused registration asks again, so that those of one slot come one after another, as many in each later
 * slot as it takes, and one more: some agents are late.
 *
 * @param last the last slot that is full, from the present one on
 * @param refused how many registrations the present slot has refused, this one included
 */
export function turnOf(points: RequestPoints, last: number, refused: number): number {
  const ofSlot = mostOfSlot(points, 'registration') / points.ofWrite + 1;
  const ahead = Math.floor((refused - 1) / ofSlot);
  const withinMs = (((refused - 1) % ofSlot) / ofSlot) * arrivesWithinMs;
  return Math.floor(slotStart(last + 1 + ahead) + withinMs);
}

/** The longest `Retry-After` that every agent obeys, in seconds. */
const longestRetrySeconds = 55;

/** Says what `Retry-After` an agent gets. Spreads those whose turn is later than it can say. */
export function retrySecondsUntil(epochMs: number, nowEpochMs: number): number {
  const seconds = Math.max(1, Math.ceil((epochMs - nowEpochMs) / 1000));
  return seconds <= longestRetrySeconds ? seconds : 28 + (seconds % 28);
}

import { isIdleWarm } from '../../view/warm.ts';
import type { ConsoleSettings } from '../console-settings.ts';
import type { Launch } from './api.ts';
import { originOf } from './words.ts';

/** The cost of the launches of a repository's workflow. */
export interface CostRow {
  /**
   * The row's name: `acme/app · CI`; `warm agents` for those that have run no job; empty for other launches without a
   * known job.
   */
  of: string;
  launches: number;
  /** The time from the request until everything is gone, summed over its launches. */
  podSeconds: number;
  /** The Pod cost of launches whose profile has a price. */
  podDollars: number;
  /** Pod seconds of profiles without a price. */
  unpricedSeconds: number;
  /** AWS's charge for davit itself; 0 for a local one. */
  davitDollars: number;
}

type Plan = NonNullable<Launch['plan']>;
type Prices = Pick<ConsoleSettings, 'pricePerHour' | 'dollarsPerLaunch'>;

/** Sums the cost of launches, by repository and workflow, highest first. */
export function costRows(launches: readonly Launch[], prices: Prices, nowEpochMs: number): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const launch of launches) {
    const cost = costOf(launch, prices, nowEpochMs);
    const known = rows.get(cost.of);
    rows.set(cost.of, known === undefined ? cost : sumOf(known, cost));
  }
  return [...rows.values()].toSorted(
    (one, other) => other.podDollars - one.podDollars || other.podSeconds - one.podSeconds,
  );
}

/** Adds two rows. The sum keeps the first one's name. */
export function sumOf(one: CostRow, other: CostRow): CostRow {
  return {
    of: one.of,
    launches: one.launches + other.launches,
    podSeconds: one.podSeconds + other.podSeconds,
    podDollars: one.podDollars + other.podDollars,
    unpricedSeconds: one.unpricedSeconds + other.unpricedSeconds,
    davitDollars: one.davitDollars + other.davitDollars,
  };
}

function costOf(launch: Launch, { pricePerHour, dollarsPerLaunch = 0 }: Prices, nowEpochMs: number): CostRow {
  const { plan } = launch;
  const podSeconds = podSecondsOf(launch, nowEpochMs);
  const price = plan && priceOf(plan, pricePerHour);
  return {
    of: isIdleWarm(launch) ? 'warm agents' : originOf(launch),
    launches: 1,
    podSeconds,
    podDollars: ((price ?? 0) * podSeconds) / 3600,
    unpricedSeconds: price === undefined ? podSeconds : 0,
    davitDollars: plan === undefined ? 0 : dollarsPerLaunch,
  };
}

/**
 * Returns the price that the console's `--price` gives for the profile, or otherwise the profile's own at the launch's
 * request.
 */
function priceOf(plan: Plan, given: Prices['pricePerHour']): number | undefined {
  return Object.hasOwn(given, plan.profile) ? given[plan.profile] : plan.pricePerHour;
}

/** Lists the prices of launches, once each: `linux costs $0.17 an hour`. */
export function pricesInWords(launches: readonly Launch[], { pricePerHour }: Prices): string[] {
  const words = launches.flatMap(({ plan }) => {
    const price = plan && priceOf(plan, pricePerHour);
    return price === undefined ? [] : [`${plan?.profile} costs $${price} an hour`];
  });
  return [...new Set(words)].toSorted();
}

/** A launch without a plan never had a Pod. */
function podSecondsOf({ plan, requestedAt, ending, cleanedAt }: Launch, nowEpochMs: number): number {
  if (plan === undefined) return 0;
  const end = cleanedAt ?? ending?.at;
  const endEpochMs = end === undefined ? nowEpochMs : Date.parse(end);
  return Math.max(0, (endEpochMs - Date.parse(requestedAt)) / 1000);
}

import type { UnreadableLaunch } from '../../ports/launches.ts';
import type { Finding, SweepReport } from './sweep-report.ts';
import type { SpareReason } from './verdict.ts';

/** How much one sweep does. */
export interface SweepLimits {
  /** When it stops looking for more, in milliseconds from its start. */
  findMs: number;
  /** When it stops acting on findings, in milliseconds from its start. */
  totalMs: number;
  /** The most findings that it acts on. */
  things: number;
  /** How many findings it acts on at a time. */
  atATime: number;
}

/**
 * The limits of a function with a time-out of 59 s. An action that begins just before 35 s may call a cluster that does
 * not answer for 5 s, and report that to a table that does not answer for 9 s. Sending the event then takes 9 s at most.
 * Looking ends at 20 s, so that the sweep acts however much it finds.
 */
export const sweepLimits: SweepLimits = { findMs: 20_000, totalMs: 35_000, things: 500, atATime: 10 };

/** One sweep: its remaining time and number, and its report. */
export class SweepRun {
  readonly #limits: SweepLimits;
  readonly #nowEpochMs: () => number;
  readonly #startedAtEpochMs: number;
  readonly #spared: SpareReason[] = [];
  readonly #errors: SweepReport['errors'] = [];
  readonly #unreadable = new Set<string>();
  #isCutShort = false;
  #taken = 0;
  #left = 0;
  readonly seen = { launches: 0, objects: 0 };
  /** The launches that are not over, once the sweep has listed them. */
  inFlight: SweepReport['inFlight'];

  constructor(limits: SweepLimits, nowEpochMs: () => number) {
    this.#limits = limits;
    this.#nowEpochMs = nowEpochMs;
    this.#startedAtEpochMs = nowEpochMs();
  }

  /** Tells whether there is time to look for more; if not, the sweep is not complete. */
  mayFind(): boolean {
    const may = this.#elapsedMs() < this.#limits.findMs;
    this.#isCutShort ||= !may;
    return may;
  }

  /** Tells whether the sweep may act on one more finding; if not, it counts as left. */
  mayTake(): boolean {
    const may = this.#taken < this.#limits.things && this.#elapsedMs() < this.#limits.totalMs;
    if (may) this.#taken += 1;
    else this.#left += 1;
    return may;
  }

  /**
   * Runs a part of the sweep. A failure is reported, and the other parts go on: one cluster that is down, or one
   * malformed object, must not stop the whole sweep.
   *
   * @returns undefined when the part failed
   */
  async attempt<Result>(subject: string, part: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await part();
    } catch (error) {
      this.#errors.push({ subject, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  /**
   * Reports each launch whose record cannot be read once, however often the sweep meets it. Such a launch may well be
   * alive, so the sweep leaves it and its objects alone.
   */
  reportUnreadable(launches: readonly UnreadableLaunch[]): void {
    for (const { launchId, why } of launches) {
      if (this.#unreadable.has(launchId)) continue;
      this.#unreadable.add(launchId);
      this.#errors.push({ subject: `launch ${launchId}`, message: `its record cannot be read: ${why}` });
    }
  }

  /** Counts something that the sweep leaves alone. */
  spare(why: SpareReason): void {
    this.#spared.push(why);
  }

  report(dryRun: boolean, findings: Finding[]): SweepReport {
    return {
      dryRun,
      complete: !this.#isCutShort && this.#left === 0 && this.#errors.length === 0,
      seen: { ...this.seen },
      ...(this.inFlight === undefined ? {} : { inFlight: this.inFlight }),
      findings,
      found: countOf(findings.map(({ reason }) => reason)),
      done: countOf(findings.map(({ outcome }) => outcome)),
      spared: countOf(this.#spared),
      left: this.#left,
      errors: this.#errors,
    };
  }

  #elapsedMs(): number {
    return this.#nowEpochMs() - this.#startedAtEpochMs;
  }
}

function countOf<Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

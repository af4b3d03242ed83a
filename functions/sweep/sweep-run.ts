import type { UnreadableLaunch } from '../ports/launches.ts';
import type { Finding, SweepReport } from './sweep-report.ts';
import type { SpareReason } from './verdict.ts';

/** How much one sweep does. */
export interface SweepLimits {
  /** It stops to look for more after this time, in milliseconds from its start. */
  findMs: number;
  /** It takes nothing more in hand after this time, in milliseconds from its start. */
  totalMs: number;
  /** It takes so many things in hand, at most. */
  things: number;
  /** So many at a time. */
  atATime: number;
}

/**
 * The limits of a function that has 55 s: what is in hand at 35 s may take a call to each of three services that are
 * silent, 5 s and twice 9 s. Looking ends at 20 s, so that however much there is, something is done about it.
 */
export const sweepLimits: SweepLimits = { findMs: 20_000, totalMs: 35_000, things: 500, atATime: 10 };

/** One sweep: how much of its time and number is left, and what it has to report. */
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
  /** How much was looked at. */
  readonly seen = { launches: 0, objects: 0 };
  /** The launches that are not over, once they are listed. */
  inFlight: SweepReport['inFlight'];

  constructor(limits: SweepLimits, nowEpochMs: () => number) {
    this.#limits = limits;
    this.#nowEpochMs = nowEpochMs;
    this.#startedAtEpochMs = nowEpochMs();
  }

  /** Says whether there is time to look for more; if there is not, the sweep is not complete. */
  mayFind(): boolean {
    const may = this.#elapsedMs() < this.#limits.findMs;
    this.#isCutShort ||= !may;
    return may;
  }

  /** Says whether one more thing may be taken in hand; if not, it is left. */
  mayTake(): boolean {
    const may = this.#taken < this.#limits.things && this.#elapsedMs() < this.#limits.totalMs;
    if (may) this.#taken += 1;
    else this.#left += 1;
    return may;
  }

  /**
   * Does a part of the sweep. If it fails, that is reported and the other parts go on: one cluster that is down, or one
   * object that is not what it should be, must not keep all else from being swept.
   *
   * @returns undefined when it failed
   */
  async attempt<Result>(about: string, part: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await part();
    } catch (error) {
      this.#errors.push({ about, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  /**
   * Reports launches whose records cannot be read, each once, however often the sweep meets it. Nothing is known of them,
   * so nothing is done about them, nor about what they have in a cluster: they may well be alive.
   */
  reportUnreadable(launches: readonly UnreadableLaunch[]): void {
    for (const { launchId, why } of launches) {
      if (this.#unreadable.has(launchId)) continue;
      this.#unreadable.add(launchId);
      this.#errors.push({ about: `launch ${launchId}`, message: `its record cannot be read: ${why}` });
    }
  }

  /** Counts something that is left alone. */
  spare(why: SpareReason): void {
    this.#spared.push(why);
  }

  /** Says how it went. */
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

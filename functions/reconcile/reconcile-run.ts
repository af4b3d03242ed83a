import type { JobRefused } from '../../core/events/job-events.ts';
import type { ReconcileReport, RepairDone } from './reconcile-report.ts';

/** One reconcile: its remaining time, and its report. */
export class ReconcileRun {
  readonly #totalMs: number;
  readonly #endsAtEpochMs: number;
  readonly #nowEpochMs: () => number;
  readonly #repairs: RepairDone[] = [];
  readonly #errors: ReconcileReport['errors'] = [];
  readonly #seen: ReconcileReport['seen'] = [];
  readonly #refused: JobRefused[] = [];
  #limited: ReconcileReport['limited'];
  readonly #planned: NonNullable<ReconcileReport['planned']> | undefined;
  #isCutShort = false;

  constructor(totalMs: number, nowEpochMs: () => number, { dryRun }: { dryRun: boolean }) {
    this.#planned = dryRun ? [] : undefined;
    this.#nowEpochMs = nowEpochMs;
    this.#totalMs = totalMs;
    this.#endsAtEpochMs = nowEpochMs() + totalMs;
  }

  /** Whether it only says what it would do. */
  get isDry(): boolean {
    return this.#planned !== undefined;
  }

  /**
   * Says whether there is time to begin something; if not, the reconcile is not complete.
   *
   * @param share the part of its time in which this may begin. @default all of it
   */
  mayBegin(share = 1): boolean {
    const may = this.#nowEpochMs() < this.#endsAtEpochMs - (1 - share) * this.#totalMs;
    this.#isCutShort ||= !may;
    return may;
  }

  /** Runs a part. A failure is reported, and the other parts go on. @returns undefined when the part failed */
  async attempt<Result>(subject: string, part: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await part();
    } catch (error) {
      this.fail(subject, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  fail(subject: string, message: string): void {
    this.#errors.push({ subject, message });
  }

  /** Reports what davit saw of a CI system. */
  see(seen: ReconcileReport['seen'][number]): void {
    this.#seen.push(seen);
  }

  /** Reports the limits that jobs wait for. */
  seeLimited(limited: NonNullable<ReconcileReport['limited']>): void {
    this.#limited = limited;
  }

  repair(done: RepairDone): void {
    this.#repairs.push(done);
  }

  /** Reports a repair that a dry run does not make. */
  plan(planned: NonNullable<ReconcileReport['planned']>[number]): void {
    this.#planned?.push(planned);
  }

  refuse(refused: JobRefused): void {
    this.#refused.push(refused);
  }

  report(): ReconcileReport {
    return {
      complete: !this.#isCutShort && this.#errors.length === 0,
      seen: this.#seen,
      ...(this.#limited === undefined ? {} : { limited: this.#limited }),
      repairs: this.#repairs,
      refused: this.#refused,
      ...(this.#planned === undefined ? {} : { planned: this.#planned }),
      errors: this.#errors,
    };
  }
}

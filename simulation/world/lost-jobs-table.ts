import { type LostJob, lostJobKeyOf } from '../../core/job/lost-job.ts';
import type { LostJobClaim, LostJobOutcome, LostJobs } from '../../ports/lost-jobs.ts';
import type { Invocation } from './invocation.ts';

interface Item {
  lost: LostJob;
  outcome: LostJobOutcome | undefined;
  claim?: LostJobClaim | undefined;
}

/** The lost jobs: each method is one request to DynamoDB, and has its effect at one moment. */
export class LostJobsTable {
  readonly #items = new Map<string, Item>();

  /** The lost jobs without an outcome. */
  get waiting(): LostJob[] {
    return [...this.#items.values()].filter(({ outcome }) => outcome === undefined).map(({ lost }) => lost);
  }

  /** The attempt of a job that davit noted as lost first. */
  attemptOf(jobId: number): number | undefined {
    return [...this.#items.values()].find(({ lost }) => lost.jobId === jobId)?.lost.attempt;
  }

  putNew(lost: LostJob): void {
    const key = keyOf(lost);
    if (!this.#items.has(key)) this.#items.set(key, { lost, outcome: undefined });
  }

  claim(lost: LostJob, claim: LostJobClaim): boolean {
    const item = this.#items.get(keyOf(lost));
    if (item === undefined || item.outcome !== undefined) return false;
    const { by, untilEpochMs } = item.claim ?? claim;
    if (by !== claim.by && untilEpochMs > claim.atEpochMs) return false;
    item.claim = claim;
    return true;
  }

  release(lost: LostJob, { by }: LostJobClaim): void {
    const item = this.#items.get(keyOf(lost));
    if (item?.claim?.by === by) item.claim = undefined;
  }

  settle(lost: LostJob, outcome: LostJobOutcome): void {
    const item = this.#items.get(keyOf(lost));
    if (item !== undefined) item.outcome ??= outcome;
  }
}

/** The lost jobs as one run of a function reaches them, request by request as the DynamoDB adapter makes them. */
export function simulatedLostJobs(table: LostJobsTable, invocation: Invocation): LostJobs {
  return {
    note: (lost) => invocation.writes('store', () => table.putNew(lost)),
    listWaiting: (wanted) =>
      invocation.reads('store', () => table.waiting.filter(({ ciSystem }) => ciSystem === wanted)),
    claim: (lost, claim) => invocation.writes('store', () => table.claim(lost, claim)),
    release: (lost, claim) => invocation.writes('store', () => table.release(lost, claim)),
    settle: (lost, outcome) => invocation.writes('store', () => table.settle(lost, outcome)),
  };
}

function keyOf(lost: LostJob): string {
  return `${lost.ciSystem} ${lostJobKeyOf(lost)}`;
}

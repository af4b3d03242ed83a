import type { SlotLimit } from './slot-limits.ts';

/** A job that waits for a slot of each of its limits. */
export interface Candidate {
  jobKey: string;
  /** `acme/app`. */
  repository: string;
  /** Higher comes first. */
  priority: number;
  queuedAtEpochMs: number;
  limits: readonly SlotLimit[];
}

/** The repository of each slot that is held, by the key of its limit. */
export type HeldRepositories = ReadonlyMap<string, readonly string[]>;

/**
 * The order in which jobs get slots: by priority, then by fairness, then by age. Fairness puts the repository first
 * that holds the fewest slots of the job's limits. So two repositories with many jobs get every second slot each, and a
 * further repository with three jobs gets the next three slots.
 */
export class AdmissionOrder<Job extends Candidate> {
  /** Jobs of one repository, priority and limits, oldest first: only the first of them can be next. */
  readonly #lines: Job[][];
  /** How many slots of a limit are held, and by each repository. */
  readonly #held = new Map<string, Map<string, number>>();

  constructor(candidates: readonly Job[], held: HeldRepositories) {
    const lines = new Map<string, Job[]>();
    for (const candidate of candidates.toSorted(byAge)) {
      const line = [candidate.repository, candidate.priority, ...candidate.limits.map(({ key }) => key)].join('\n');
      const before = lines.get(line);
      if (before === undefined) lines.set(line, [candidate]);
      else before.push(candidate);
    }
    this.#lines = [...lines.values()];
    for (const [key, repositories] of held) this.see(key, repositories);
  }

  /** Replaces the list of repositories that hold the slots of a limit. */
  see(key: string, repositories: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const each of repositories) counts.set(each, (counts.get(each) ?? 0) + 1);
    this.#held.set(key, counts);
  }

  /**
   * Finds the next job.
   *
   * @param anyway whether to include jobs whose limits have no room; the order is the same either way
   */
  next(anyway = false): Job | undefined {
    const heads = this.#lines
      .flatMap(([head]) => head ?? [])
      .filter((head) => anyway || this.#fullOf(head) === undefined);
    return heads.reduce<Job | undefined>(
      (best, head) => (best === undefined || this.#compare(head, best) < 0 ? head : best),
      undefined,
    );
  }

  /** Removes a job from the order, and counts its slots if it has got them. */
  settle(job: Job, isAdmitted: boolean): void {
    const line = this.#lines.find(([head]) => head === job);
    line?.shift();
    if (!isAdmitted) return;
    for (const { key } of job.limits) {
      const counts = this.#held.get(key) ?? new Map<string, number>();
      this.#held.set(key, counts.set(job.repository, (counts.get(job.repository) ?? 0) + 1));
    }
  }

  /** Finds the first limit of a job that has no room, and how many slots of it are held. */
  #fullOf({ limits }: Candidate): SlotLimit | undefined {
    return limits.find(({ key, maxAgents }) => this.heldOf(key) >= maxAgents);
  }

  /** Counts the slots of a limit that are held. */
  heldOf(key: string): number {
    return [...(this.#held.get(key)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  #compare(one: Job, other: Job): number {
    return other.priority - one.priority || this.#shareOf(one) - this.#shareOf(other) || byAge(one, other);
  }

  #shareOf({ limits, repository }: Candidate): number {
    return Math.max(...limits.map(({ key }) => this.#held.get(key)?.get(repository) ?? 0));
  }
}

function byAge(one: Candidate, other: Candidate): number {
  if (one.queuedAtEpochMs !== other.queuedAtEpochMs) return one.queuedAtEpochMs - other.queuedAtEpochMs;
  return one.jobKey < other.jobKey ? -1 : 1;
}

/** Lists all jobs in their order. */
export function inOrder<Job extends Candidate>(candidates: readonly Job[], held: HeldRepositories): Job[] {
  const order = new AdmissionOrder(candidates, held);
  const sorted: Job[] = [];
  for (let job = order.next(true); job !== undefined; job = order.next(true)) {
    order.settle(job, true);
    sorted.push(job);
  }
  return sorted;
}

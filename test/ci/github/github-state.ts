import { randomUUID } from 'node:crypto';

/** A job as a GitHub keeps it. */
export interface GithubJob {
  id: number;
  runId: number;
  attempt: number;
  owner: string;
  repository: string;
  name: string;
  labels: string[];
  queuedAtEpochMs: number;
  /** What its steps run. */
  steps: string[];
  status: 'queued' | 'in_progress' | 'completed';
  conclusion?: 'success' | 'failure' | 'cancelled';
  runnerId?: number;
  runnerName?: string;
}

/** A runner as a GitHub keeps it: made by a JIT configuration, and gone after one job. */
export interface GithubRunner {
  id: number;
  name: string;
  labels: string[];
  groupId: number;
  /** `acme`, or `acme/app` for a repository's own runner. */
  scope: string;
  secret: string;
  busy: boolean;
}

/**
 * The queue of a GitHub: jobs go to any runner of their scope that has all of their labels, whatever their case.
 *
 * @see https://docs.github.com/en/actions/hosting-your-own-runners/managing-self-hosted-runners/using-self-hosted-runners-in-a-workflow
 */
export class GithubState {
  readonly jobs: GithubJob[] = [];
  readonly runners = new Map<number, GithubRunner>();
  readonly #onJob: (job: GithubJob, action: 'queued' | 'in_progress' | 'completed') => void;
  #lastId = 1000;

  readonly #repositoryIds = new Map<string, number>();

  constructor(onJob: (job: GithubJob, action: 'queued' | 'in_progress' | 'completed') => void = () => {}) {
    this.#onJob = onJob;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  repositoryIdOf(owner: string, repository: string): number {
    const text = `${owner}/${repository}`;
    const id = this.#repositoryIds.get(text) ?? this.nextId();
    this.#repositoryIds.set(text, id);
    return id;
  }

  queueRun(owner: string, repository: string, jobs: readonly Pick<GithubJob, 'name' | 'labels' | 'steps'>[]): number {
    const runId = this.nextId();
    const of = { runId, attempt: 1, owner, repository, queuedAtEpochMs: Date.now() };
    for (const job of jobs) {
      const queued: GithubJob = { ...job, ...of, id: this.nextId(), status: 'queued' };
      this.jobs.push(queued);
      this.#onJob(queued, 'queued');
    }
    return runId;
  }

  /** @returns undefined when the scope has a runner of this name */
  register(runner: Pick<GithubRunner, 'name' | 'labels' | 'groupId' | 'scope'>): GithubRunner | undefined {
    const taken = [...this.runners.values()].some(({ name, scope }) => name === runner.name && scope === runner.scope);
    if (taken) return undefined;
    const made: GithubRunner = { ...runner, id: this.nextId(), secret: randomUUID(), busy: false };
    this.runners.set(made.id, made);
    return made;
  }

  /** Hands the oldest matching job to a runner. @returns undefined while there is none */
  assign(runner: GithubRunner): GithubJob | undefined {
    const job = this.jobs.find((candidate) => candidate.status === 'queued' && isFor(candidate, runner));
    if (job === undefined) return undefined;
    Object.assign(job, { status: 'in_progress', runnerId: runner.id, runnerName: runner.name });
    runner.busy = true;
    this.#onJob(job, 'in_progress');
    return job;
  }

  /** Ends a runner's job. A JIT runner takes one job: it is gone with it. */
  complete(runner: GithubRunner, succeeded: boolean): void {
    const job = this.jobs.find(({ runnerId, status }) => runnerId === runner.id && status === 'in_progress');
    this.runners.delete(runner.id);
    if (job === undefined) return;
    Object.assign(job, { status: 'completed', conclusion: succeeded ? 'success' : 'failure' });
    this.#onJob(job, 'completed');
  }
}

function isFor({ owner, repository, labels }: GithubJob, runner: GithubRunner): boolean {
  if (runner.scope !== owner && runner.scope !== `${owner}/${repository}`) return false;
  const offered = new Set(runner.labels.map((label) => label.toLowerCase()));
  return labels.every((label) => offered.has(label.toLowerCase()));
}

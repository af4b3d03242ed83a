import { randomUUID } from 'node:crypto';
import type { JobAction } from './github-webhooks.ts';

/** A job in GitHub's records. */
export interface GithubJob {
  id: number;
  runId: number;
  attempt: number;
  owner: string;
  repository: string;
  name: string;
  labels: string[];
  queuedAtEpochMs: number;
  /** The commands of its steps. */
  steps: string[];
  status: 'queued' | 'in_progress' | 'completed';
  conclusion?: 'success' | 'failure' | 'cancelled';
  runnerId?: number;
  runnerName?: string;
  /** The output of its steps. */
  output?: string;
}

/** A runner in GitHub's records: made by a JIT configuration, and gone after one job. */
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

/** Receives the changes of jobs and runners. */
export interface GithubListener {
  onJob?: (job: GithubJob, action: JobAction) => void;
  onRunner?: (runner: GithubRunner, is: 'registered' | 'gone') => void;
}

/**
 * The queue of a GitHub: jobs go to any runner of their scope that has all of their labels, whatever their case.
 *
 * @see https://docs.github.com/en/actions/hosting-your-own-runners/managing-self-hosted-runners/using-self-hosted-runners-in-a-workflow
 */
export class GithubState {
  readonly jobs: GithubJob[] = [];
  readonly runners = new Map<number, GithubRunner>();
  /** An organization's runner groups; a group without `repositories` is open to all. The first one is the default. */
  readonly groups: { name: string; repositories?: string[] }[] = [{ name: 'Default' }, { name: 'builds' }];
  readonly #repositoryIds = new Map<string, number>();
  readonly #listener: GithubListener;
  #lastId = 1000;

  constructor(listener: GithubListener = {}) {
    this.#listener = listener;
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

  /** Queues a run of jobs. @returns the jobs, which stay up to date */
  queueRun(
    owner: string,
    repository: string,
    jobs: readonly Pick<GithubJob, 'name' | 'labels' | 'steps'>[],
  ): [GithubJob, ...GithubJob[]] {
    const runId = this.nextId();
    const of = { runId, attempt: 1, owner, repository, queuedAtEpochMs: Date.now() };
    const queued = jobs.map((job): GithubJob => ({ ...job, ...of, id: this.nextId(), status: 'queued' }));
    for (const job of queued) {
      this.jobs.push(job);
      this.#listener.onJob?.(job, 'queued');
    }
    const [first, ...others] = queued;
    if (first === undefined) throw new Error('a run has at least one job');
    return [first, ...others];
  }

  jobOf(owner: string | undefined, repository: string | undefined, id: number): GithubJob | undefined {
    return this.jobs.find((job) => job.id === id && job.owner === owner && job.repository === repository);
  }

  /** Queues a job once more, as another job. */
  rerun({ runId, owner, repository, name, labels, steps }: GithubJob, attempt: number): void {
    const again = { runId, owner, repository, name, labels, steps, attempt };
    const job: GithubJob = { ...again, id: this.nextId(), queuedAtEpochMs: Date.now(), status: 'queued' };
    this.jobs.push(job);
    this.#listener.onJob?.(job, 'queued');
  }

  /** @returns undefined when the scope has a runner of this name */
  register(runner: Pick<GithubRunner, 'name' | 'labels' | 'groupId' | 'scope'>): GithubRunner | undefined {
    const taken = [...this.runners.values()].some(({ name, scope }) => name === runner.name && scope === runner.scope);
    if (taken) return undefined;
    const made: GithubRunner = { ...runner, id: this.nextId(), secret: randomUUID(), busy: false };
    this.runners.set(made.id, made);
    this.#listener.onRunner?.(made, 'registered');
    return made;
  }

  /** Forgets a runner. The caller must check whether it runs a job. */
  remove(runner: GithubRunner): void {
    if (this.runners.delete(runner.id)) this.#listener.onRunner?.(runner, 'gone');
  }

  /** Hands the oldest matching job to a runner. @returns undefined while there is none */
  assign(runner: GithubRunner): GithubJob | undefined {
    const job = this.jobs.find((candidate) => candidate.status === 'queued' && isFor(candidate, runner));
    if (job === undefined) return undefined;
    Object.assign(job, { status: 'in_progress', runnerId: runner.id, runnerName: runner.name });
    runner.busy = true;
    this.#listener.onJob?.(job, 'in_progress');
    return job;
  }

  /** Ends a runner's job, and forgets the runner: a JIT runner takes one job. */
  complete(runner: GithubRunner, succeeded: boolean, output?: string): void {
    const job = this.jobs.find(({ runnerId, status }) => runnerId === runner.id && status === 'in_progress');
    if (job !== undefined) {
      Object.assign(job, { status: 'completed', conclusion: succeeded ? 'success' : 'failure', output });
      this.#listener.onJob?.(job, 'completed');
    }
    this.remove(runner);
  }
}

function isFor({ owner, repository, labels }: GithubJob, runner: GithubRunner): boolean {
  if (runner.scope !== owner && runner.scope !== `${owner}/${repository}`) return false;
  const offered = new Set(runner.labels.map((label) => label.toLowerCase()));
  return labels.every((label) => offered.has(label.toLowerCase()));
}

import { type CiRunner, type CiScope, type RepositoryName, scopeText } from '../../core/ci/ci-scope.ts';
import type { DeliveryAttempt } from '../../core/ci/failing-delivery.ts';
import { TransientError } from '../../core/errors/errors.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import type {
  CiJobState,
  CiJobStatus,
  CiSystem,
  CiUsage,
  CommitStatus,
  DeliveryPage,
  FailedJob,
  NewRunner,
  Registration,
  RunnersPage,
} from '../../ports/ci-system.ts';

/** A job of the fake CI system, queued or not. */
export type FakeJob = Omit<ReadJob, 'jobId' | 'status'> & { id: number; status: ReadJob['status'] | 'cancelled' };

/** A runner of the fake CI system, and whether it still gets jobs. */
export type FakeRunner = CiRunner & { scope: string; labels: readonly string[]; disabled: boolean };

/**
 * A CI system with a queue, in memory. A job goes to any runner of its scope that has all of its labels. A runner runs
 * one job.
 */
export class FakeCi implements CiSystem {
  readonly settleMs = 15_000;
  listsJobsOf: 'organization' | 'repository' = 'organization';
  readonly jobs: FakeJob[] = [];
  readonly runners = new Map<number, FakeRunner>();
  readonly redelivered: string[] = [];
  /** The attempts to deliver webhooks, oldest first. */
  readonly deliveries: DeliveryAttempt[] = [];
  deliveriesOfPage = 100;
  runnersOfPage = 100;
  /** The rate limit that its answers report. */
  rate: Omit<CiUsage, 'requests'> = {};
  /** The conclusion of completed jobs. @default success */
  readonly conclusions = new Map<number, 'failure'>();
  /** The latest status of each commit and context. */
  readonly statuses = new Map<string, CommitStatus>();
  /** While set, it rejects statuses. */
  refuse: Error | undefined;
  /** While set, it answers no request. */
  isDown = false;
  /** The requests, one line each. */
  readonly asked: string[] = [];
  #lastId = 100;

  async register(scope: CiScope, { name, labels }: NewRunner): Promise<Registration> {
    this.#ask(`register ${name}`);
    const runner = { id: this.nextId(), name };
    this.runners.set(runner.id, { ...runner, scope: scopeText(scope), labels, disabled: false });
    return { runner, environment: { TOKEN: `secret of ${runner.id}` } };
  }

  async stopAssigning(_scope: CiScope, runnerId: number): Promise<void> {
    this.#ask(`stopAssigning ${runnerId}`);
    const runner = this.runners.get(runnerId);
    if (runner !== undefined) runner.disabled = true;
  }

  async removeIfIdle(_scope: CiScope, runnerId: number): Promise<'removed' | 'busy'> {
    this.#ask(`removeIfIdle ${runnerId}`);
    if (this.jobOf(runnerId) !== undefined) return 'busy';
    this.runners.delete(runnerId);
    return 'removed';
  }

  async runnersNamed(scope: CiScope, name: string): Promise<CiRunner[]> {
    return (await this.findRunners(scope, name)).filter((runner) => runner.name === name);
  }

  async findRunners(scope: CiScope, namePrefix: string): Promise<CiRunner[]> {
    this.#ask(`findRunners ${scopeText(scope)}`);
    return [...this.runners.values()]
      .filter((runner) => runner.scope === scopeText(scope) && runner.name.startsWith(namePrefix))
      .map(({ id, name }) => ({ id, name }));
  }

  async runnersOnPage(scope: CiScope, namePrefix: string, page: number): Promise<RunnersPage> {
    const found = await this.findRunners(scope, namePrefix);
    const runners = found.slice((page - 1) * this.runnersOfPage, page * this.runnersOfPage);
    const pages = Math.max(1, Math.ceil(found.length / this.runnersOfPage));
    return { runners, isLast: page >= pages, pages };
  }

  async getRunner(_scope: CiScope, runnerId: number): Promise<CiRunner | undefined> {
    this.#ask(`getRunner ${runnerId}`);
    const runner = this.runners.get(runnerId);
    return runner && { id: runner.id, name: runner.name };
  }

  async getJob(_repository: RepositoryName, jobId: number): Promise<CiJobState | undefined> {
    this.#ask(`getJob ${jobId}`);
    const job = this.jobs.find(({ id }) => id === jobId);
    if (job === undefined) return undefined;
    const { attempt, status, runner } = job;
    const end = status === 'cancelled' ? { conclusion: 'cancelled' } : {};
    return { attempt, status: status === 'cancelled' ? 'completed' : status, ...end, ...(runner && { runner }) };
  }

  async listJobs(scope: CiScope, statuses: readonly CiJobStatus[]): Promise<ReadJob[]> {
    this.#ask(`listJobs ${scopeText(scope)}`);
    return structuredClone(
      this.jobs.flatMap(({ id: jobId, status, ...job }) => {
        const wanted = statuses.find((each) => each === status);
        return wanted !== undefined && isIn(job.repository, scopeText(scope))
          ? [{ ...job, jobId, status: wanted }]
          : [];
      }),
    );
  }

  async listDeliveries(page = '0'): Promise<DeliveryPage> {
    this.#ask(`listDeliveries ${page}`);
    const from = Number(page);
    const newestFirst = this.deliveries.toReversed();
    const attempts = structuredClone(newestFirst.slice(from, from + this.deliveriesOfPage));
    const end = from + attempts.length;
    return end < newestFirst.length ? { attempts, next: `${end}` } : { attempts };
  }

  async redeliver(deliveryId: string): Promise<void> {
    this.#ask(`redeliver ${deliveryId}`);
    this.redelivered.push(deliveryId);
  }

  /** As a GitHub does: the jobs of a run that run again become one further attempt of the run. */
  async rerunFailed(
    _repository: RepositoryName,
    runId: number,
    wanted: readonly FailedJob[],
  ): Promise<'running' | readonly number[]> {
    this.#ask(`rerunFailed ${runId}`);
    const ofRun = this.jobs.filter((job) => job.runId === runId);
    const runAttempt = Math.max(...ofRun.map(({ attempt }) => attempt));
    const latest = wanted.filter(({ attempt }) => runAttempt <= attempt).map(({ id }) => id);
    if (latest.length === 0) return [];
    if (ofRun.some(({ status }) => status !== 'completed' && status !== 'cancelled')) return 'running';
    const hasFailed = ({ id, status }: FakeJob) => status === 'completed' && this.conclusions.get(id) === 'failure';
    const failed = ofRun.filter((job) => hasFailed(job) && latest.includes(job.id));
    for (const job of failed.length > 1 ? ofRun.filter(hasFailed) : failed) {
      const { runner: _runner, ...again } = job;
      this.jobs.splice(this.jobs.indexOf(job), 1, { ...again, status: 'queued', attempt: runAttempt + 1 });
    }
    return failed.map(({ id }) => id);
  }

  async setCommitStatus(repository: RepositoryName, status: CommitStatus): Promise<void> {
    this.#ask('setCommitStatus');
    if (this.refuse !== undefined) throw this.refuse;
    this.statuses.set(`${repository.owner}/${repository.name} ${status.sha} ${status.context}`, status);
  }

  usage(): CiUsage {
    return { requests: this.asked.length, ...this.rate };
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  queue(job: Partial<FakeJob> & Pick<FakeJob, 'labels'>): FakeJob {
    const repository = job.repository ?? { owner: 'acme', name: 'app' };
    const id = job.id ?? this.nextId();
    const url = `https://ci.example/jobs/${id}`;
    const queued: FakeJob = {
      id,
      attempt: 1,
      repository,
      repositoryId: 7,
      name: 'build',
      status: 'queued',
      url,
      ...job,
    };
    this.jobs.push(queued);
    return queued;
  }

  /**
   * Gives a runner the oldest job that it may take.
   *
   * @returns undefined when there is none, or the runner gets no jobs
   */
  assign(runnerId: number): FakeJob | undefined {
    const runner = this.runners.get(runnerId);
    if (runner === undefined || runner.disabled || this.jobOf(runnerId) !== undefined) return undefined;
    const job = this.jobs.find(
      ({ status, labels, repository }) =>
        status === 'queued' && isIn(repository, runner.scope) && labels.every((label) => runner.labels.includes(label)),
    );
    if (job === undefined) return undefined;
    job.status = 'in_progress';
    job.runner = { id: runner.id, name: runner.name };
    return job;
  }

  /** Ends a job, and removes the runner that ran it. */
  complete(job: FakeJob): void {
    job.status = 'completed';
    if (job.runner !== undefined) this.runners.delete(job.runner.id);
  }

  /** The job that a runner runs. */
  jobOf(runnerId: number): FakeJob | undefined {
    return this.jobs.find(({ status, runner }) => status === 'in_progress' && runner?.id === runnerId);
  }

  #ask(what: string): void {
    this.asked.push(what);
    if (this.isDown) throw new TransientError('CiUnavailable', `gitea: ${what}: 502`);
  }
}

function isIn({ owner, name }: RepositoryName, scope: string): boolean {
  return scope === owner || scope === `${owner}/${name}`;
}

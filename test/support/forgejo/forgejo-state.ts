import { randomUUID } from 'node:crypto';

/** The statuses of a job: `models/actions/status.go`. */
export type FakeJobStatus = 'waiting' | 'running' | 'blocked' | 'success' | 'failure' | 'cancelled' | 'skipped';

/** A job to queue. */
export interface JobRequest {
  /** Below the organization acme. @default app */
  repository?: string;
  /** @default test */
  name?: string;
  /** @default linux */
  runsOn?: readonly string[];
  /** A shell command. @default true */
  command?: string;
}

/** A job of the fake. */
export interface FakeJob {
  id: number;
  repositoryId: number;
  runId: number;
  name: string;
  runsOn: readonly string[];
  command: string;
  attempt: number;
  /** Of the attempt. */
  handle: string;
  status: FakeJobStatus;
  /** 0 while no runner has it. */
  taskId: number;
  /** Of the last attempt that began. */
  startedAtEpochMs?: number;
  /** The names of the runners that took it, one for each attempt that began. */
  takenBy: string[];
  /** What its last attempt wrote. */
  log: string;
}

/** A registered runner. */
export interface FakeRunner {
  id: number;
  uuid: string;
  token: string;
  name: string;
  ephemeral: boolean;
  /** What its agent declared. */
  labels: string[];
  lastOnlineEpochMs: number;
  lastActiveEpochMs: number;
  /** The job that it runs. */
  job?: FakeJob;
}

/** A runner's status: `models/actions/runner.go`, `Status`, with `RunnerOfflineTime` and `RunnerIdleTime`. */
const offlineMs = 60_000;
const idleMs = 10_000;

/** A Forgejo with one organization, in memory. */
export class ForgejoState {
  readonly #nowEpochMs: () => number;
  readonly repositories = new Map<number, string>();
  readonly jobs = new Map<number, FakeJob>();
  readonly runners = new Map<number, FakeRunner>();
  /** Every token that was given to a runner. */
  readonly tokens: string[] = [];
  /** The handles that the lists of the organization and of repositories lack, as a broken server's would. */
  readonly missing = { organization: new Set<string>(), repository: new Set<string>() };
  #ids = 0;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  #nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  enqueue({ repository = 'app', name = 'test', runsOn = ['linux'], command = 'true' }: JobRequest = {}): FakeJob {
    const fullName = `acme/${repository}`;
    const known = [...this.repositories].find(([, each]) => each === fullName)?.[0];
    const repositoryId = known ?? this.#nextId();
    this.repositories.set(repositoryId, fullName);
    const job: FakeJob = {
      id: this.#nextId(),
      repositoryId,
      runId: this.#nextId(),
      name,
      runsOn,
      command,
      attempt: 1,
      handle: randomUUID(),
      status: 'waiting',
      taskId: 0,
      takenBy: [],
      log: '',
    };
    this.jobs.set(job.id, job);
    return job;
  }

  /** Runs a job that is over once more, as its page does: the row stays, the attempt and the handle are new. */
  rerun(job: FakeJob): void {
    Object.assign(job, { attempt: job.attempt + 1, handle: randomUUID(), status: 'waiting', taskId: 0, log: '' });
  }

  /**
   * Cancels a job, which is cancelled at once. Forgejo then forgets the ephemeral runner that runs it (`StopTask` in
   * `services/actions/task.go`), whose agent's next report is refused.
   */
  cancel(job: FakeJob): void {
    if (job.status === 'waiting' || job.status === 'running') job.status = 'cancelled';
    for (const runner of this.runners.values())
      if (runner.job === job && runner.ephemeral) this.runners.delete(runner.id);
  }

  statusOf({ lastOnlineEpochMs, lastActiveEpochMs }: FakeRunner): 'offline' | 'idle' | 'active' {
    const now = this.#nowEpochMs();
    if (now - lastOnlineEpochMs > offlineMs) return 'offline';
    return now - lastActiveEpochMs > idleMs ? 'idle' : 'active';
  }

  register(name: string, ephemeral: boolean): FakeRunner {
    const runner: FakeRunner = {
      id: this.#nextId(),
      uuid: randomUUID(),
      token: randomUUID().replaceAll('-', ''),
      name,
      ephemeral,
      labels: [],
      lastOnlineEpochMs: 0,
      lastActiveEpochMs: 0,
    };
    this.tokens.push(runner.token);
    this.runners.set(runner.id, runner);
    return runner;
  }

  /** @returns undefined for an agent that is not registered, or no longer */
  runnerBy(uuid: string, token: string): FakeRunner | undefined {
    const runner = [...this.runners.values()].find((each) => each.uuid === uuid && each.token === token);
    if (runner !== undefined) runner.lastOnlineEpochMs = this.#nowEpochMs();
    return runner;
  }

  /** Notes that a runner's agent has reported on its job. */
  noteActive(runner: FakeRunner): void {
    runner.lastActiveEpochMs = this.#nowEpochMs();
  }

  /** Gives a runner a job: that of the handle, or any with its labels. */
  take(runner: FakeRunner, handle: string | undefined): FakeJob | undefined {
    const job = [...this.jobs.values()].find(
      (each) =>
        each.status === 'waiting' &&
        (handle === undefined || each.handle === handle) &&
        each.runsOn.every((label) => runner.labels.includes(label)),
    );
    if (job === undefined) return undefined;
    runner.job = job;
    return this.#begin(job, runner.name);
  }

  /** Has a classic runner take a job. */
  takeElsewhere(job: FakeJob): void {
    this.#begin(job, 'classic');
  }

  #begin(job: FakeJob, runnerName: string): FakeJob {
    job.status = 'running';
    job.startedAtEpochMs = this.#nowEpochMs();
    job.taskId = this.#nextId();
    job.takenBy.push(runnerName);
    return job;
  }

  /** Ends a runner's job, and forgets a runner that is for one job alone. */
  finish(runner: FakeRunner, result: 'success' | 'failure' | 'cancelled'): void {
    if (runner.job?.status === 'running') runner.job.status = result;
    delete runner.job;
    if (runner.ephemeral) this.runners.delete(runner.id);
  }
}

import { jobsToRerun } from '../../ci/gitea/jobs-to-rerun.ts';
import { type CiRunner, type CiScope, scopeText } from '../../core/ci/ci-scope.ts';
import type { RunnerProvider } from '../../core/ci/ci-system-config.ts';
import { ciLaunchId } from '../../core/launch/names.ts';
import type { FailedJob, PinnedRunnerStatus } from '../../ports/ci-system.ts';
import { type CiKind, ciKinds } from './ci-kinds.ts';
import type { Core } from './core.ts';
import type { CiJobName } from './history.ts';
import type { Random } from './random.ts';
import { registrationMark } from './secrets.ts';

/** The name of the CI system's one repository. */
export const ciRepository = { id: 7, owner: 'acme', name: 'shop' } as const;

/** One attempt of a job, as the CI system knows it. */
export interface CiServerJob {
  readonly id: number;
  readonly attempt: number;
  readonly labels: readonly string[];
  readonly workMs: number;
  readonly queuedAtEpochMs: number;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly runner?: CiRunner;
  readonly conclusion?: string;
}

/** Lost jobs that may run again, and all jobs that then do. */
export interface Rerunnable {
  asked: readonly CiServerJob[];
  again: readonly CiServerJob[];
}

/** The program that a runner's host runs. */
export interface RunnerProcess {
  /** Called once the CI system knows that the runner's job is over, or gives it none: a runner takes one job. */
  jobOver(): void;
}

interface WantedRunner {
  name: string;
  labels: readonly string[];
  /** The launch whose agent registers it; undefined for a foreign runner. */
  launchId: string | undefined;
  /** The id of the only job that it may run. @default any with its labels */
  pinnedTo?: string | undefined;
}

interface Runner extends CiRunner {
  labels: readonly string[];
  scope: string;
  secret: string;
  /** The launch whose agent registered it; absent for a foreign runner. */
  launchId: string | undefined;
  pinnedTo: string | undefined;
  isRegistered: boolean;
  /** When davit asked that it gets no job. */
  stoppedAtEpochMs: number | undefined;
  hasHadJob: boolean;
  /** Absent while the runner is offline. */
  process: RunnerProcess | undefined;
  jobId: number | undefined;
}

interface Snapshot {
  atEpochMs: number;
  jobs: readonly CiServerJob[];
}

const othersAskMs = 10_000;

/** How long a CI system takes to notice that a runner is silent, in milliseconds. */
const noticesMs = [10_000, 300_000] as const;

/** How long an agent may have a job until the system shows its runner as active, in milliseconds. */
const reportsMs = 3000;

const jobsOfRun = 3;

/** The run of a job: a few jobs, as of a matrix. */
export function runIdOf(jobId: number): number {
  return Math.floor(jobId / jobsOfRun);
}

/** A CI system with a queue of jobs: it gives each job to any idle runner with matching labels, or to the job's own. */
export class CiServer {
  readonly name: string;
  readonly provider: RunnerProvider;
  readonly kind: CiKind;
  /** How far its clock is ahead, in milliseconds. */
  clockAheadMs = 0;
  /** When the outage of this CI system's API ends. */
  outageUntilEpochMs = 0;
  /** The jobs of runs that are to be queued later, as jobs that need others are: their run goes on. */
  readonly planned = new Set<number>();
  /** Until then it hands out no job. */
  assignsFromEpochMs = 0;
  readonly #core: Core;
  readonly #random: Random;
  readonly #changed: (job: CiServerJob) => void;
  readonly #jobs = new Map<string, CiServerJob>();
  readonly #runners = new Map<number, Runner>();
  /** When davit's hold on a job ends, by the job's id. */
  readonly #leases = new Map<number, number>();
  readonly #handedOut = new Map<string, number>();
  #snapshots: Snapshot[] = [];
  #ids = 0;

  /** @param changed receives each job that is queued, handed out, or over */
  constructor(
    core: Core,
    random: Random,
    { name, provider }: Pick<CiServer, 'name' | 'provider'>,
    changed: (job: CiServerJob) => void,
  ) {
    this.#core = core;
    this.#random = random;
    this.name = name;
    this.provider = provider;
    this.kind = ciKinds[provider];
    this.#changed = changed;
  }

  /** Every attempt of every job, in its present state. */
  get jobs(): CiServerJob[] {
    return [...this.#jobs.values()];
  }

  /** The jobs of an outdated list. */
  jobsAt(epochMs: number): readonly CiServerJob[] {
    return this.#snapshots.findLast(({ atEpochMs }) => atEpochMs <= epochMs)?.jobs ?? [];
  }

  /** The registered runners, each with the launch whose agent registered it. Where jobs are held, none is registered. */
  get runners(): (CiRunner & { launchId: string | undefined })[] {
    if (this.kind.leaseMs !== undefined) return [];
    return [...this.#runners.values()].filter(({ isRegistered }) => isRegistered);
  }

  /** @param firstAsker the runner whose program asks next, well before the others */
  queue(job: Pick<CiServerJob, 'id' | 'attempt' | 'labels' | 'workMs'>, firstAsker?: number): void {
    const { scheduler } = this.#core;
    this.#put({ ...job, status: 'queued', queuedAtEpochMs: scheduler.nowEpochMs() + this.clockAheadMs });
    for (const runner of this.#runners.values()) {
      if (firstAsker === undefined) this.#poll(runner);
      else if (runner.id === firstAsker) this.#poll(runner, 0);
      else scheduler.after(othersAskMs, () => this.#poll(runner));
    }
  }

  latestOf(runId: number): CiServerJob[] {
    const latest = new Map<number, CiServerJob>();
    for (const job of this.jobs.toSorted((one, other) => one.attempt - other.attempt)) latest.set(job.id, job);
    return [...latest.values()].filter(({ id }) => runIdOf(id) === runId);
  }

  isOver(runId: number): boolean {
    const isPlanned = [...this.planned].some((id) => runIdOf(id) === runId);
    return !isPlanned && this.latestOf(runId).every(({ status }) => status === 'completed');
  }

  /**
   * Finds out which of a run's lost jobs may run again, as the adapters do: Gitea's by its own rule.
   *
   * @returns the failed attempts to run again, and which of them were asked for
   */
  rerunnable(runId: number, wanted: readonly FailedJob[]): 'running' | Rerunnable {
    const latest = this.latestOf(runId);
    const chosen = this.provider === 'gitea' ? jobsToRerun(latest, wanted) : currentOf(latest, wanted);
    if (chosen === 'running' || chosen.length === 0) return chosen === 'running' ? chosen : { asked: [], again: [] };
    if (!this.isOver(runId)) return 'running';
    const failed = latest.filter(({ conclusion }) => conclusion === 'failure');
    const asked = failed.filter(({ id }) => chosen.includes(id));
    return { asked, again: asked.length > 1 ? failed : asked };
  }

  /** Cancels a queued or running job. A running job's runner stops. */
  cancel({ id, attempt }: Pick<CiServerJob, 'id' | 'attempt'>): void {
    const job = this.#jobs.get(keyOf({ id, attempt }));
    if (job !== undefined && job.status !== 'completed') this.#finish(job, 'cancelled');
  }

  /** @returns undefined when the name is taken and names are unique */
  register(
    scope: CiScope,
    { name, labels, launchId, pinnedTo }: WantedRunner,
  ): { runner: CiRunner; secret: string } | undefined {
    if (this.kind.namesAreUnique && this.runners.some((runner) => runner.name === name)) return undefined;
    this.#ids += 1;
    const id = this.#ids;
    const secret = `${registrationMark}-${id}`;
    const isNew = {
      isRegistered: true,
      stoppedAtEpochMs: undefined,
      hasHadJob: false,
      process: undefined,
      jobId: undefined,
    };
    this.#runners.set(id, { id, name, labels, scope: scopeText(scope), secret, launchId, pinnedTo, ...isNew });
    return { runner: { id, name }, secret };
  }

  /** A runner's program asks for a job. @returns whether it may: its runner is registered */
  comeOnline(secret: string, process: RunnerProcess): boolean {
    const runner = this.#bySecret(secret);
    if (!runner?.isRegistered) return false;
    runner.process = process;
    this.#poll(runner);
    return true;
  }

  /** Registers a foreign runner under the name of a registered one, if this fault hits. */
  imitate(secret: string): void {
    const runner = this.#bySecret(secret);
    if (runner === undefined || this.kind.namesAreUnique) return;
    if (this.#core.faults.hits('runnerImpostor', runner.launchId)) this.addForeigner(runner.name, runner.labels);
  }

  /** Adds a foreign runner that is online. */
  addForeigner(name: string, labels: readonly string[]): void {
    const { id: _id, ...repository } = ciRepository;
    const made = this.register({ repository }, { name, labels, launchId: undefined });
    if (made !== undefined) this.comeOnline(made.secret, { jobOver: () => undefined });
  }

  /** Ends a runner's program. If it ran a job, the CI system notices after a while. */
  goOffline(secret: string): void {
    const runner = this.#bySecret(secret);
    if (runner === undefined) return;
    runner.process = undefined;
    if (runner.jobId !== undefined) this.#failLater(runner);
  }

  /** A runner's program that is told to stop fails its job. */
  failJob(secret: string): void {
    const runner = this.#bySecret(secret);
    const job = runner && this.runningOn(runner.id);
    if (job === undefined) return;
    this.#core.scheduler.after(this.#random.between(50, 500), () => {
      if (this.#jobs.get(keyOf(job))?.status === 'in_progress') this.#finish(job, 'failure', { isTaken: true });
    });
  }

  /** Hands no job to a runner from now on. */
  stopAssigning(id: number): void {
    const runner = this.#runners.get(id);
    if (runner !== undefined) runner.stoppedAtEpochMs ??= this.#core.scheduler.nowEpochMs();
  }

  /** @returns when davit asked that the runner gets no job; 0 for one that is gone */
  stoppedAt(id: number): number | undefined {
    const runner = this.#runners.get(id);
    return runner?.isRegistered ? runner.stoppedAtEpochMs : 0;
  }

  /** Says whether a runner has had a job, or is gone. */
  mayHaveHadJob(id: number): boolean {
    const runner = this.#runners.get(id);
    return runner?.isRegistered !== true || runner.hasHadJob;
  }

  /** Says what a runner for one job does: undefined while its agent is silent. */
  statusOf(id: number): PinnedRunnerStatus | undefined {
    const runner = this.#runners.get(id);
    if (runner?.isRegistered !== true) return 'gone';
    const job = this.runningOn(id);
    if (job !== undefined && this.#random.chance(0.5)) return 'active';
    if (job !== undefined && this.#core.scheduler.nowEpochMs() - this.#handedOutAt(job) > reportsMs) return 'active';
    return runner.process === undefined ? undefined : 'idle';
  }

  runningOn(id: number): CiServerJob | undefined {
    return this.jobs.find(({ status, runner }) => status === 'in_progress' && runner?.id === id);
  }

  /** Holds jobs of the queue for davit's agents, or goes on with it. */
  hold(jobIds: readonly number[]): void {
    const { leaseMs = 0 } = this.kind;
    for (const id of jobIds) this.#leases.set(id, this.#core.scheduler.nowEpochMs() + leaseMs);
  }

  isHeld(id: number): boolean {
    return (this.#leases.get(id) ?? 0) > this.#core.scheduler.nowEpochMs();
  }

  /** Ends a job that no agent has begun. */
  fail(id: number): void {
    const job = this.jobs.find((each) => each.id === id && each.status === 'queued');
    if (job !== undefined) this.#finish(job, 'failure');
  }

  isBusy(id: number): boolean {
    return this.runningOn(id) !== undefined;
  }

  /** Deletes a runner, even if it runs a job. @param by the function that asks @returns whether there was one */
  remove(id: number, by: string): boolean {
    const runner = this.#runners.get(id);
    if (!runner?.isRegistered) return false;
    runner.isRegistered = false;
    this.#core.history.add({ kind: 'runnerGone', launchId: runner.launchId, runnerId: id, by });
    return true;
  }

  /** The registered runner with this id. */
  runner(runnerId: number): CiRunner | undefined {
    const runner = this.#runners.get(runnerId);
    return runner?.isRegistered ? { id: runner.id, name: runner.name } : undefined;
  }

  find(scope: CiScope, prefix: string): CiRunner[] {
    return [...this.#runners.values()]
      .filter((runner) => runner.isRegistered && this.#isIn(runner, scope) && runner.name.startsWith(prefix))
      .map(({ id, name }) => ({ id, name }));
  }

  /** The runners of a system that is polled are all in one place. */
  #isIn(runner: Runner, scope: CiScope): boolean {
    return this.kind.tells !== 'jobs' || runner.scope === scopeText(scope);
  }

  #bySecret(secret: string): Runner | undefined {
    return [...this.#runners.values()].find((runner) => runner.secret === secret);
  }

  /** A runner's program asks about once a second. The CI system decides on a job a moment after it has read the runner. */
  #poll(runner: Runner, afterMs = this.#random.between(50, 1500)): void {
    const { scheduler, faults } = this.#core;
    scheduler.after(afterMs, () => {
      if (!mayRun(runner) || !runner.isRegistered || runner.stoppedAtEpochMs !== undefined) return;
      const assignsInMs = this.assignsFromEpochMs - scheduler.nowEpochMs();
      if (assignsInMs > 0) return this.#poll(runner, assignsInMs + this.#random.between(50, 1500));
      const fitting = this.jobs.filter((job) => job.status === 'queued' && this.#mayTake(runner, job));
      // An agent that may not have the job that is held for it ends by itself.
      if (fitting.length === 0 && this.kind.leaseMs !== undefined && runner.pinnedTo !== undefined)
        runner.process?.jobOver();
      if (fitting.length === 0) return;
      const { id, attempt } = this.#random.pick(fitting);
      const isSlow = faults.hits('handOutSlow', runner.launchId);
      const decidesMs = isSlow ? this.#random.between(500, this.kind.slowestHandOutMs) : this.#random.between(1, 50);
      scheduler.after(decidesMs, () => this.#handOut(runner, keyOf({ id, attempt })));
    });
  }

  #handOut(runner: Runner, key: string): void {
    const job = this.#jobs.get(key);
    if (!mayRun(runner) || job === undefined) return;
    if (this.kind.looksAgain && (!runner.isRegistered || runner.stoppedAtEpochMs !== undefined)) return;
    if (job.status !== 'queued' || (this.kind.looksAgain && this.isHeld(job.id) && runner.pinnedTo === undefined)) {
      return this.#poll(runner);
    }
    const { id, name, launchId } = runner;
    runner.jobId = job.id;
    runner.hasHadJob = true;
    this.#handedOut.set(key, this.#core.scheduler.nowEpochMs());
    this.#core.history.add({ kind: 'handedOut', launchId, runnerId: id, job: this.nameOf(job) });
    this.#put({ ...job, status: 'in_progress', runner: { id, name } });
    this.#core.scheduler.after(job.workMs, () => {
      const now = this.#jobs.get(key);
      if (runner.process === undefined || now?.status !== 'in_progress') return;
      if (this.#core.faults.hits('ciJobFails', launchId)) this.#finish(now, 'failure', { byItself: true });
      else this.#finish(now, 'success');
    });
  }

  /** Fails the job of a silent runner after a while. */
  #failLater(runner: Runner): void {
    this.#core.scheduler.after(this.#random.between(...noticesMs), () => {
      const job = this.jobs.find((each) => each.status === 'in_progress' && each.runner?.id === runner.id);
      if (job !== undefined) this.#finish(job, 'failure');
    });
  }

  #finish(job: CiServerJob, conclusion: string, how: { byItself?: true; isTaken?: true } = {}): void {
    const runner = job.runner && this.#runners.get(job.runner.id);
    const launchId = runner?.launchId;
    this.#core.history.add({
      kind: 'jobOver',
      launchId,
      runnerId: runner?.id,
      job: this.nameOf(job),
      conclusion,
      ...how,
    });
    this.#put({ ...job, status: 'completed', conclusion });
    if (runner === undefined) return;
    if (this.kind.afterJob === 'forgotten') runner.isRegistered = false;
    if (this.kind.afterJob !== 'asks for another') return runner.process?.jobOver();
    runner.jobId = undefined;
    this.#poll(runner);
  }

  #mayTake(runner: Runner, { id, labels }: CiServerJob): boolean {
    if (runner.pinnedTo !== undefined) return runner.pinnedTo === `${id}`;
    return fits(runner, labels) && !this.isHeld(id);
  }

  #handedOutAt(job: CiServerJob): number {
    return this.#handedOut.get(keyOf(job)) ?? 0;
  }

  #put(job: CiServerJob): void {
    this.#jobs.set(keyOf(job), job);
    this.#snapshots = [...this.#snapshots, { atEpochMs: this.#core.scheduler.nowEpochMs(), jobs: this.jobs }];
    this.#changed(job);
  }

  /** The name of a job's attempt in the history: the first launch that it requests. */
  nameOf({ id, attempt }: Pick<CiServerJob, 'id' | 'attempt'>): CiJobName {
    return ciLaunchId({ ciSystem: this.name, repositoryId: ciRepository.id, jobId: id, attempt });
  }
}

/** A re-run of any job is a new attempt of a GitHub run. */
function currentOf(latest: readonly CiServerJob[], wanted: readonly FailedJob[]): number[] {
  const runAttempt = Math.max(...latest.map(({ attempt }) => attempt));
  return wanted.filter(({ attempt }) => runAttempt <= attempt).map(({ id }) => id);
}

function keyOf({ id, attempt }: Pick<CiServerJob, 'id' | 'attempt'>): string {
  return `${id}/${attempt}`;
}

function mayRun({ process, jobId }: Runner): boolean {
  return process !== undefined && jobId === undefined;
}

function fits({ labels }: Runner, wanted: readonly string[]): boolean {
  return wanted.every((label) => labels.includes(label));
}

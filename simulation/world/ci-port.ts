import type { CiRunner, CiScope } from '../../core/ci/ci-scope.ts';
import type { DeliveryAttempt } from '../../core/ci/failing-delivery.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import type { CiJobState, CiSystem, KnownOfJob, ListedRunner, PinnedJobs } from '../../ports/ci-system.ts';
import type { CiKind } from './ci-kinds.ts';
import { type CiServer, type CiServerJob, ciRepository, type Rerunnable, runIdOf } from './ci-server.ts';
import type { Invocation } from './invocation.ts';

/** The id of the simulated installation of davit, in its runners' names. */
export const installationId = '0a1b2c3d';

/** The variable with the secret that an agent's runner joins with. */
export const secretVariable = 'RUNNER_SECRET';

/** The rest of a CI system: its undelivered webhooks, and its users. */
export interface CiSurroundings {
  deliveries(): DeliveryAttempt[];
  redeliver(id: string): void;
  /** Runs jobs of a run again. @returns false when the run goes on */
  rerun(runId: number, jobs: Rerunnable): boolean;
  /** Called when davit begins to remove a runner, and when it is about to. */
  retiring(runnerId: number): void;
  /** Called when davit asks to remove a runner. */
  removing(runnerId: number): void;
}

/** So that the lists of larger worlds have several pages. */
const runnersOfPage = 10;

const longestListLagMs = 20_000;

/** How long a slow registration's answer takes, in milliseconds: longer at times than davit waits. */
const slowRegistrationMs = [2000, 30_000] as const;

/** A CI system as one run of a function reaches it. */
export function ciSystemOf(server: CiServer, around: CiSurroundings, invocation: Invocation): CiSystem {
  const { faults, random, scheduler } = invocation.core;
  const { kind } = server;
  const reads = <Answer>(effect: () => Answer) => invocation.reads(server, effect);
  const writes = <Answer>(effect: () => Answer) => invocation.writes(server, effect);
  const listed = () =>
    faults.hits('staleJobList', undefined)
      ? server.jobsAt(scheduler.nowEpochMs() - random.between(1000, longestListLagMs))
      : server.jobs;
  /** A removal while the pages are read hides an entry. */
  const missingOne = <Item>(items: readonly Item[]): Item[] => {
    if (items.length === 0 || !faults.hits('listMissesOne', undefined)) return [...items];
    const missed = random.pick(items);
    return items.filter((item) => item !== missed);
  };
  /** The runners of a system that is polled are listed with what they do. */
  const listedAs = (runner: CiRunner): ListedRunner => {
    if (kind.tells === 'jobs') return runner;
    const isBusy = server.isBusy(runner.id);
    return { ...runner, ...(isBusy || !kind.isPinned ? { isBusy } : {}) };
  };
  const runnersIn = (scope: CiScope, namePrefix: string) => server.find(scope, namePrefix).map(listedAs);
  return {
    ...polledCalls(server, around, invocation),
    settleMs: kind.settleMs,
    // It has no rate limit.
    usage: () => ({ requests: 0, ...(server.clockAheadMs === 0 ? {} : { clockAheadMs: server.clockAheadMs }) }),
    register: async (scope, { name, labels, pinnedTo }) => {
      const agentName = agentNameOfRunner(installationId, name);
      const launchId = agentName && launchIdOfAgent(agentName);
      const made = await writes(() => {
        if (kind.leaseMs !== undefined && !hold(server, Number(pinnedTo))) return 'refused';
        return server.register(scope, { name, labels, launchId, pinnedTo });
      });
      if (made === 'refused') throw new TerminalError('CiRefused', `${server.name}: job ${pinnedTo} cannot be held`);
      if (made === undefined) throw new TransientError('WriteConflict', `${server.name}: a runner ${name} exists`);
      if (faults.hits('ciRegistersSlowly', launchId)) await invocation.sleepMs(random.between(...slowRegistrationMs));
      return { runner: made.runner, environment: { [secretVariable]: made.secret } };
    },
    stopAssigning: async (_scope, runnerId) => {
      around.retiring(runnerId);
      if (kind.stopsRunners) await writes(() => server.stopAssigning(runnerId));
    },
    removeIfIdle: async (_scope, runnerId, pinnedTo) => {
      around.removing(runnerId);
      if (kind.leaseMs !== undefined) {
        const status = await reads(() => stateOf(server, Number(pinnedTo))?.status);
        if (status === 'in_progress') return 'busy';
        return status === 'queued' ? 'removed' : 'gone';
      }
      if (kind.keepsBusyRunners) {
        return writes(() => {
          if (server.isBusy(runnerId)) return 'busy';
          return server.remove(runnerId, invocation.functionName) ? 'removed' : 'gone';
        });
      }
      around.retiring(runnerId);
      if (await reads(() => server.isBusy(runnerId))) return 'busy';
      return (await writes(() => server.remove(runnerId, invocation.functionName))) ? 'removed' : 'gone';
    },
    getRunner: async (_scope, runnerId, pinnedTo) =>
      reads(() => {
        if (kind.leaseMs === undefined) return server.runner(runnerId);
        const status = stateOf(server, Number(pinnedTo))?.status;
        return status === undefined || status === 'completed' ? undefined : { id: runnerId, name: '' };
      }),
    getJob: async (_repository, jobId, known) =>
      reads(() => {
        // A replica that lags behind has no job that is younger.
        const isThere = listed().some(({ id }) => id === Number(jobId));
        return isThere ? knownState(server, Number(jobId), known) : undefined;
      }),
    runnersNamed: async (scope, name) =>
      reads(() => missingOne(server.find(scope, name).filter((runner) => runner.name === name))),
    findRunners: async (scope, namePrefix) => reads(() => missingOne(runnersIn(scope, namePrefix))),
    runnersOnPage: async (scope, namePrefix, page) =>
      reads(() => {
        const all = missingOne(runnersIn(scope, namePrefix));
        const runners = all.slice((page - 1) * runnersOfPage, page * runnersOfPage);
        const pages = Math.max(1, Math.ceil(all.length / runnersOfPage));
        return { runners, isLast: page >= pages, pages };
      }),
    listsJobsOf: server.provider === 'github' ? 'repository' : 'organization',
    listJobs: async (_scope, statuses) =>
      reads(() => {
        const jobs = listed().filter(({ id }) => !server.isHeld(id));
        const shown = jobs.map((job) => (kind.isPinned ? withoutRunner(ciJobOf(job, kind)) : ciJobOf(job, kind)));
        return missingOne(shown.filter(({ status }) => statuses.some((wanted) => wanted === status)));
      }),
    listDeliveries: async () => reads(() => ({ attempts: around.deliveries() })),
    redeliver: async (id) => writes(() => around.redeliver(id)),
    rerunFailed: async (_repository, runId, wanted) => {
      const found = await reads(() => server.rerunnable(runId, wanted));
      if (found === 'running' || found.asked.length === 0) return found === 'running' ? found : [];
      const isAccepted = await writes(() => around.rerun(runId, found));
      if (!isAccepted) throw new TerminalError('CiRefused', `${server.name}: run ${runId} goes on`);
      return found.asked.map(({ id }) => id);
    },
    setCommitStatus: async () => {
      throw new TerminalError('CiRefused', `${server.name}: nobody writes commit statuses here`);
    },
  };
}

/** The calls that only systems have that davit polls. */
function polledCalls(
  server: CiServer,
  around: CiSurroundings,
  invocation: Invocation,
): Pick<CiSystem, 'limitToOneJob' | 'stoppedAtEpochMs' | 'mayHaveHadJob' | 'runningJob' | 'findJob' | 'pinned'> {
  const { kind } = server;
  if (kind.tells === 'jobs') return {};
  if (kind.isPinned) return { pinned: pinnedJobsOf(server, invocation) };
  const stop = async (runnerId: number) => {
    around.retiring(runnerId);
    await invocation.writes(server, () => server.stopAssigning(runnerId));
  };
  return {
    limitToOneJob: async (_scope, runnerId) => {
      // A Jenkins gives no build to a node that is offline, and goes on with a pipeline only on one that is online.
      const isToStop = kind.afterJob === 'exits' || (await invocation.reads(server, () => server.isBusy(runnerId)));
      if (isToStop) await stop(runnerId);
      return isToStop;
    },
    mayHaveHadJob: async (_scope, runnerId) => invocation.reads(server, () => server.mayHaveHadJob(runnerId)),
    runningJob: async (_scope, runnerId) =>
      invocation.reads(server, () => {
        const job = server.runningOn(runnerId);
        return job && ciJobOf(job, kind);
      }),
    ...(kind.tells === 'ids'
      ? {
          stoppedAtEpochMs: async (_scope, runnerId) => invocation.reads(server, () => server.stoppedAt(runnerId)),
          findJob: async ({ jobId }) =>
            invocation.reads(server, () => {
              const job = server.jobs.find(({ id }) => id === jobId);
              const state = stateOf(server, jobId);
              return job && state && { ...ciJobOf(job, kind), ...state };
            }),
        }
      : {}),
  };
}

/** @returns whether the job can be held: it is no other agent's, and not over */
function hold(server: CiServer, jobId: number): boolean {
  if (stateOf(server, jobId)?.status !== 'queued') return false;
  server.hold([jobId]);
  return true;
}

function pinnedJobsOf(server: CiServer, invocation: Invocation): PinnedJobs {
  const { leaseMs } = server.kind;
  if (leaseMs === undefined) {
    return { runnerStatus: async (_scope, runnerId) => invocation.reads(server, () => server.statusOf(runnerId)) };
  }
  return {
    lease: {
      reservationMs: leaseMs,
      reserve: async (jobIds) => invocation.writes(server, () => server.hold(jobIds.map(Number))),
    },
    statesOf: async (jobIds) =>
      invocation.reads(server, () => {
        const states = jobIds.map((id) => [id, knownState(server, Number(id))] as const);
        return new Map(states.flatMap(([id, state]) => (state === undefined ? [] : [[id, state]])));
      }),
    finish: async (jobId) => invocation.writes(server, () => server.fail(Number(jobId))),
    notify: async () => {},
  };
}

/** The state of a job, with its runner if the system says it: one that pins jobs says no more than that it runs. */
function knownState(server: CiServer, jobId: number, { runner }: KnownOfJob = {}): CiJobState | undefined {
  const state = stateOf(server, jobId);
  if (state === undefined || !server.kind.isPinned) return state;
  return { ...withoutRunner(state), ...(state.runner?.id === runner?.id && runner ? { runner } : {}) };
}

function withoutRunner<Job extends Pick<CiJobState, 'runner'>>({ runner: _runner, ...job }: Job): Omit<Job, 'runner'> {
  return job;
}

/** GitHub's and Gitea's jobs keep their ids here, and a re-run is another attempt. */
function stateOf(server: CiServer, jobId: number): CiJobState | undefined {
  const latest = server.jobs
    .filter(({ id }) => id === jobId)
    .toSorted((one, other) => one.attempt - other.attempt)
    .at(-1);
  if (latest === undefined) return undefined;
  const { attempt, status, conclusion, runner } = latest;
  return present({ attempt, status, conclusion, runner });
}

function ciJobOf({ id: jobId, attempt, labels, status, queuedAtEpochMs, runner }: CiServerJob, kind: CiKind): ReadJob {
  const { id: repositoryId, owner, name } = ciRepository;
  return {
    jobId,
    attempt,
    repository: { owner, name },
    repositoryId,
    name: `job ${jobId}`,
    labels: kind.asksByExpression ? [labels.join('&&')] : [...labels],
    status,
    runId: runIdOf(jobId),
    queuedAtEpochMs,
    ...(runner === undefined ? {} : { runner }),
  };
}

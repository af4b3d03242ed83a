import type { DeliveryAttempt } from '../../core/ci/failing-delivery.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import type { CiJob, CiJobState, CiSystem } from '../../ports/ci-system.ts';
import { type CiServer, type CiServerJob, ciKinds, ciRepository, type Rerunnable, runIdOf } from './ci-server.ts';
import type { Invocation } from './invocation.ts';

/** The id of the simulated installation of davit, in its runners' names. */
export const installationId = '0a1b2c3d';

/** The variable with the secret that an agent's runner joins with. */
export const secretVariable = 'RUNNER_SECRET';

/** The rest of a CI system: its undelivered webhooks, and its users. */
export interface CiSurroundings {
  deliveries(): DeliveryAttempt[];
  redeliver(id: number): void;
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
  return {
    settleMs: ciKinds[server.provider].settleMs,
    // It has no rate limit.
    usage: () => ({ requests: 0, ...(server.clockAheadMs === 0 ? {} : { clockAheadMs: server.clockAheadMs }) }),
    register: async (scope, { name, labels }) => {
      const agentName = agentNameOfRunner(installationId, name);
      const launchId = agentName && launchIdOfAgent(agentName);
      const made = await writes(() => server.register(scope, { name, labels, launchId }));
      if (made === undefined) throw new TransientError('WriteConflict', `${server.name}: a runner ${name} exists`);
      if (faults.hits('ciRegistersSlowly', launchId)) await invocation.sleepMs(random.between(...slowRegistrationMs));
      return { runner: made.runner, environment: { [secretVariable]: made.secret } };
    },
    stopAssigning: async (_scope, runnerId) => {
      around.retiring(runnerId);
      if (server.provider === 'gitea') await writes(() => server.stopAssigning(runnerId));
    },
    removeIfIdle: async (_scope, runnerId) => {
      around.removing(runnerId);
      if (server.provider === 'github') {
        return writes(() => {
          if (server.isBusy(runnerId)) return 'busy';
          return server.remove(runnerId, invocation.functionName) ? 'removed' : 'gone';
        });
      }
      around.retiring(runnerId);
      if (await reads(() => server.isBusy(runnerId))) return 'busy';
      return (await writes(() => server.remove(runnerId, invocation.functionName))) ? 'removed' : 'gone';
    },
    getRunner: async (_scope, runnerId) => reads(() => server.runner(runnerId)),
    getJob: async (_repository, jobId) => reads(() => stateOf(server, Number(jobId))),
    runnersNamed: async (scope, name) =>
      reads(() => missingOne(server.find(scope, name).filter((runner) => runner.name === name))),
    findRunners: async (scope, namePrefix) => reads(() => missingOne(server.find(scope, namePrefix))),
    runnersOnPage: async (scope, namePrefix, page) =>
      reads(() => {
        const found = missingOne(server.find(scope, namePrefix));
        const runners = found.slice((page - 1) * runnersOfPage, page * runnersOfPage);
        const pages = Math.max(1, Math.ceil(found.length / runnersOfPage));
        return { runners, isLast: page >= pages, pages };
      }),
    listsJobsOf: server.provider === 'gitea' ? 'organization' : 'repository',
    listJobs: async (_scope, statuses) =>
      reads(() => {
        const jobs = listed().map(ciJobOf);
        return missingOne(jobs.filter(({ status }) => statuses.includes(status)));
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

/** GitHub's and Gitea's jobs keep their ids here, and a re-run is another attempt. */
function stateOf(server: CiServer, jobId: number): CiJobState | undefined {
  const latest = server.jobs
    .filter(({ id }) => id === jobId)
    .toSorted((one, other) => one.attempt - other.attempt)
    .at(-1);
  if (latest === undefined) return undefined;
  const { attempt, status, conclusion, runner } = latest;
  return {
    attempt,
    status,
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(runner === undefined ? {} : { runner }),
  };
}

function ciJobOf({ id, attempt, labels, status, queuedAtEpochMs, runner }: CiServerJob): CiJob {
  const { id: repositoryId, owner, name } = ciRepository;
  return {
    id,
    attempt,
    repository: { owner, name },
    repositoryId,
    name: `job ${id}`,
    labels,
    // The list of open jobs has no completed job.
    status: status === 'completed' ? 'waiting' : status,
    url: '',
    runId: runIdOf(id),
    queuedAtEpochMs,
    ...(runner === undefined ? {} : { runner }),
  };
}

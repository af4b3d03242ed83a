import type { PoolLook } from '../../../../core/agent/pool.ts';
import { jobEnding } from '../../../../core/job/job-ending.ts';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import { isLive, type LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { ciLaunchId } from '../../../../core/launch/names.ts';
import { endLaunch } from '../../../../logic/lifecycle/end-launch.ts';
import { portWith } from '../../../support/port-with.ts';
import { getManyAs, manyReadAs, onlyIn, withCi, withCiIn, withLogic, withPort, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

const actor = { kind: 'davit', name: 'reconcile' } as const;

/** A look that sees a surplus agent in each pool in which an earlier look has seen no shortage. */
class HastyLooks extends Map<string, PoolLook> {
  readonly #nowEpochMs: () => number;

  constructor(looks: ReadonlyMap<string, PoolLook>, nowEpochMs: () => number) {
    super(looks);
    this.#nowEpochMs = nowEpochMs;
  }

  override get(key: string): PoolLook {
    const look = super.get(key);
    return look !== undefined && look.missing > 0 ? look : { missing: -1, atEpochMs: this.#nowEpochMs() - 60_000 };
  }
}

/** A job gets no fifth launch. */
const fourLaunches = withPort('jobs', (jobs) => ({
  claimLaunch: async (job, counted, launchId, atEpochMs) =>
    counted < 4 && jobs.claimLaunch(job, counted, launchId, atEpochMs),
}));

function withoutFailure(record: LaunchRecord): LaunchRecord {
  const { ending } = record;
  return ending === undefined ? record : { ...record, ending: { ...ending, outcome: 'terminated' } };
}

/** Defects of the queue, where any agent may run any job. */
export const queueMutants: Mutants = {
  "the age of an event is told by davit's clock": {
    world: { seed: 10, queued: 8, kinds: ['ciClockOff'], breaks: '10: a fresh event' },
    mutation: withPortIn(['webhook'], 'ciClocks', () => ({ get: async () => undefined })),
  },
  'completed ends the launch that its job asked for, whoever ran the job': {
    world: { seed: 13, queued: 6, kinds: ['ciJobRerun'], breaks: '9: no agent' },
    mutation: withLogic('answerRegisteredJob', (answerRegisteredJob) => async (deps, system, event) => {
      const ending = jobEnding(system.name, event.conclusion, deps.nowEpochMs());
      if (event.status === 'completed') await endLaunch(deps, ciLaunchId(event), ending);
      return answerRegisteredJob(deps, system, event);
    }),
  },
  "a job is bound to an agent by its runner's name alone": {
    world: { seed: 9, queued: 6, kinds: ['runnerImpostor'], breaks: '9: no agent' },
    mutation: withPort('registrations', (registrations, { deps }) => ({
      bind: async (launchId, runner, job, atEpochMs) => {
        const record = await deps.launches.get(launchId);
        return registrations.bind(launchId, { ...runner, id: record?.runner?.id ?? runner.id }, job, atEpochMs);
      },
    })),
  },
  'an agent is deleted before it is retired': {
    world: { seed: 5, queued: 6, kinds: ['jobJustThen', 'ciJobCancelled', 'asyncLate'], breaks: '9: no agent' },
    mutation: withPortIn(['retire-runner'], 'registrations', (registrations, { deps }) => ({
      retire: async (launchId, message, atEpochMs) => {
        if (!isLive(await deps.launches.get(launchId))) {
          return registrations.retire(launchId, message, atEpochMs);
        }
        const ending = {
          outcome: 'terminated',
          code: 'Terminated',
          message,
          by: 'reconcile',
          actor,
          atEpochMs,
        } as const;
        await endLaunch(deps, launchId, ending, { unlessRunning: true });
        await deps.invokeLater('retire-runner', { launchId, reason: message, by: 'reconcile', actor });
        return undefined;
      },
    })),
  },
  'an agent is retired without a look at what it runs': {
    world: { seed: 15, queued: 6, kinds: ['jobJustThen', 'ciJobCancelled', 'ciEventLate'], breaks: '9: no agent' },
    mutation: withCi((_ci, { world: { queue }, invocation }) => ({
      removeIfIdle: async (_scope, runnerId) => {
        const { server } = queue;
        await invocation.writes(server, () => server.remove(runnerId, invocation.functionName));
        return 'removed';
      },
    })),
  },
  'an agent is retired by a look that comes too early': {
    world: { seed: 9, queued: 6, kinds: ['jobJustThen', 'handOutSlow', 'ciJobCancelled'], breaks: '9: no agent' },
    mutation: withCi(() => ({ settleMs: 0 })),
  },
  'a replacement is counted without a condition': {
    world: {
      seed: 47,
      queued: 6,
      kinds: ['ciEventTwice', 'reconcileTwice', 'deletedByPeople', 'imagePullFails'],
      breaks: '10: an attempt',
    },
    mutation: withPort('jobs', (_own, { world: { jobs }, invocation }) => ({
      claimLaunch: async (job, counted, launchId, atEpochMs) => {
        const key = jobKeyOf(job);
        await invocation.writes('store', () => {
          const before = jobs.stored(key);
          if (before === undefined) return;
          const after = { ...before.record, launches: counted + 1, lastLaunch: { launchId, atEpochMs } };
          jobs.write({ key, before, after, command: 'claimLaunch' });
        });
        return true;
      },
    })),
  },
  'a job has four launches, however they ended': {
    world: { seed: 2, queued: 6, kinds: ['ciAssignsNothing'], breaks: '10: no job' },
    mutation: fourLaunches,
  },
  'an agent that ran another job uses up a try of its own': {
    world: {
      seed: 7,
      queued: 8,
      maxAgents: { ofProfile: 1, ofOrganization: 1 },
      kinds: ['ciEventLate', 'staleJobList'],
      breaks: '10: no job',
    },
    mutation: fourLaunches,
  },
  'a failed launch makes its job wait for nothing': {
    world: { seed: 1, queued: 6, kinds: ['imagePullFails'], breaks: '10: a job whose launches fail' },
    mutation: manyReadAs(['reconcile'], withoutFailure),
  },
  'only the first lost job of a run runs again': {
    world: { seed: 5, queued: 8, kinds: ['nodeGone', 'spotReclaimed'], breaks: '10: each job that lost' },
    mutation: withCiIn(['reconcile'], (ci) => ({
      rerunFailed: (repository, runId, jobs) => ci.rerunFailed(repository, runId, jobs.slice(0, 1)),
    })),
  },
  'a job that its runner fails when its Pod is taken counts as failed by itself': {
    world: {
      seed: 1,
      queued: 8,
      kinds: ['podEvicted', 'spotReclaimed', 'runnerFailsJob', 'ciJobLong'],
      breaks: '10: each job that its runner',
    },
    mutation: withPortIn(['clean-up'], 'lost', () => ({ note: async () => {} })),
  },
  'a lost job is asked for again although a later attempt of its run has begun': {
    world: {
      seed: 4,
      queued: 8,
      kinds: ['nodeGone', 'spotReclaimed', 'ciJobRerun'],
      breaks: '10: davit has a lost job',
    },
    mutation: withCiIn(['reconcile'], (ci, { world: { queue } }) => {
      const latest = (id: number) =>
        Math.max(...queue.server.jobs.filter((job) => job.id === id).map(({ attempt }) => attempt));
      return {
        rerunFailed: (repository, runId, jobs) =>
          ci.rerunFailed(
            repository,
            runId,
            jobs.map(({ id }) => ({ id, attempt: latest(id) })),
          ),
      };
    }),
  },
  'a lost job runs again as often as it is lost': {
    world: { seed: 7, queued: 8, kinds: ['nodeGone', 'spotReclaimed'], breaks: '10: davit has a lost job' },
    mutation: withPortIn(['reconcile'], 'lost', (lost) => ({
      note: (job) => lost.note({ ...job, name: `${job.name} ${job.attempt}` }),
    })),
  },
  'a registration completes whatever its nonce': {
    world: { seed: 11, queued: 6, kinds: ['invokedTwice', 'ciSlow'], breaks: '9: no launch' },
    mutation: withPort('registrations', (registrations, { deps }) => ({
      complete: async (agent, nonce, runner, atEpochMs) => {
        const record = await deps.launches.get(agent.launchId);
        return registrations.complete(agent, record?.registration?.nonce ?? nonce, runner, atEpochMs);
      },
    })),
  },
  'a registration is not taken over before it is made': {
    world: { seed: 5, queued: 8, kinds: ['invokedTwice', 'ciSlow'], breaks: '9: no launch' },
    mutation: withLogic(
      'registerRunner',
      (registerRunner) => (deps, input) => registerRunner({ ...deps, newNonce: () => input.nonce }, input),
    ),
  },
  'an agent is one too many after one look at a list that may be old': {
    world: { seed: 1, queued: 6, kinds: ['staleJobList', 'imagePullLong'], breaks: '10: no agent is retired' },
    // Neither a second look, nor a launch's age, nor a question for its job protects a new agent.
    mutation: onlyIn(['reconcile'], ({ jobs, launches, nowEpochMs, ciSystemOf }) => ({
      ciSystemOf: (name: string) => ({
        ...ciSystemOf(name),
        getJob: async () => ({ attempt: 99, status: 'completed' }),
      }),
      jobs: portWith(jobs, {
        readLooks: async (ciSystem) => new HastyLooks(await jobs.readLooks(ciSystem), nowEpochMs),
      }),
      launches: portWith(launches, {
        getMany: getManyAs(launches, (record) => ({ ...record, requestedAtEpochMs: 0 })),
      }),
    })),
  },
  'a runner that its agent leaves behind is not taken out of the CI system': {
    world: { seed: 11, queued: 6, kinds: ['deletedByPeople', 'agentFinishes'], breaks: '10: no runner' },
    mutation: {
      deps: (deps, _world, { functionName }) => ({
        ...deps,
        invokeLater: (...invocation) =>
          invocation[0] === 'retire-runner' ? Promise.resolve() : deps.invokeLater(...invocation),
        ...(functionName !== 'reconcile'
          ? {}
          : {
              ciSystemOf: (name: string) => ({
                ...deps.ciSystemOf(name),
                runnersOnPage: async () => ({ runners: [], isLast: true, pages: 1 }),
              }),
            }),
      }),
    },
  },
  'reconciling launches nothing': {
    world: { seed: 1, queued: 6, kinds: ['ciEventLost'], breaks: '10: no job' },
    mutation: withLogic('reconcile', (reconcile) => (deps) => reconcile({ ...deps, ciSystems: [] })),
  },
};

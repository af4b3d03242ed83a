import { isLive } from '../../../../core/launch/launch-record.ts';
import type { CiJobState, PinnedJobs } from '../../../../ports/ci-system.ts';
import { withCiIn, withLogic, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

const acting = ['poll-ci', 'retire-runner', 'reconcile', 'register-runner'] as const;

/** The states of jobs, those that run as over. */
async function statesAsOver(pinned: PinnedJobs | undefined, jobIds: readonly string[]) {
  const states = (await pinned?.statesOf?.(jobIds)) ?? new Map<string, CiJobState>();
  return new Map(
    [...states].map(([id, state]) => [
      id,
      state.status === 'in_progress' ? { ...state, status: 'completed' as const } : state,
    ]),
  );
}

/** Defects in CI systems that davit polls. */
export const polledMutants: Mutants = {
  'a runner of a GitLab is removed at once after it was paused': {
    world: {
      seed: 265,
      queued: 6,
      ci: 'gitlab',
      kinds: ['handOutSlow', 'ciJobCancelled', 'jobJustThen'],
      breaks: '9: ',
    },
    mutation: withCiIn(acting, () => ({ settleMs: 0 })),
  },
  'a node of a Jenkins is removed without being set offline': {
    world: { seed: 26, queued: 6, ci: 'jenkins', kinds: ['jobJustThen', 'ciJobCancelled', 'ciSlow'], breaks: '9: ' },
    mutation: withCiIn(acting, () => ({ stopAssigning: async () => {}, limitToOneJob: async () => false })),
  },
  'a job of a Forgejo that another runner has counts as that of its own agent': {
    world: { seed: 1, queued: 6, ci: 'forgejo', kinds: ['foreignRunner'], breaks: '15: ' },
    mutation: withCiIn(acting, () => ({ pinned: { runnerStatus: async () => 'active' } })),
  },
  'a job of a Buildkite that runs counts as over': {
    world: { seed: 1, queued: 6, ci: 'buildkite', kinds: [], breaks: '9: ' },
    mutation: withCiIn(acting, ({ pinned }) => ({
      pinned: { ...pinned, statesOf: (jobIds) => statesAsOver(pinned, jobIds) },
    })),
  },
  'a job that reconciling saw before any poll counts as asked for': {
    world: { seed: 5, queued: 6, ci: 'buildkite', kinds: ['asyncLate'], breaks: '10: a job that a poll sees' },
    mutation: withPortIn(['poll-ci'], 'jobs', (jobs) => ({
      getMany: async (keys) =>
        (await jobs.getMany(keys)).map((record) => ({ ...record, launches: Math.max(1, record.launches) })),
    })),
  },
  'a retirement that died after it had noted that the runner is gone is not finished': {
    world: { seed: 80, queued: 6, ci: 'jenkins', kinds: ['crashAfterWrite'], breaks: '10: no runner' },
    mutation: withLogic('retireRunner', (retireRunner) => async (deps, input) => {
      const record = await deps.launches.get(input.launchId);
      const isFinished = isLive(record) && record?.runs !== undefined && record.deregisteredAtEpochMs !== undefined;
      return isFinished ? { outcome: 'busy' } : retireRunner(deps, input);
    }),
  },
};

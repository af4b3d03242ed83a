import { jobsWith, looksWith, onlyIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** Defects of agents that are launched before there are jobs. */
export const warmMutants: readonly Mutant[] = [
  {
    name: 'two reconciles number their warm launches differently',
    seed: 1,
    queued: 1,
    warm: 2,
    kinds: ['reconcileTwice'],
    breaks: '12: no warm agent is launched',
    mutation: looksWith((looks, _deps, { core }) => {
      const nextWarm = core.random.whole(1_000_000, 9_000_000);
      return new Map([...looks].map(([key, look]) => [key, { ...look, nextWarm }]));
    }),
  },
  {
    name: 'a look forgets how many warm agents are missing',
    seed: 1,
    queued: 1,
    warm: 2,
    kinds: [],
    breaks: '12: a pool has its warm agents',
    mutation: looksWith(
      (looks) => new Map([...looks].map(([key, { missingWithWarm: _forgotten, ...look }]) => [key, look])),
    ),
  },
  {
    name: 'warm agents keep their slots from jobs of other pools',
    seed: 1,
    queued: 6,
    warm: 1,
    maxAgents: { ofProfile: 1, ofOrganization: 1 },
    kinds: [],
    breaks: '12: no job waits for a slot',
    mutation: onlyIn(['reconcile'], (deps) => ({ jobs: jobsWith(deps.jobs, { listLimited: async () => [] }) })),
  },
];

import { launchesWith } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** What could be wrong with sweeps. */
export const sweepMutants: readonly Mutant[] = [
  {
    name: 'an agent that has exited is removed by the sweep that first sees it',
    seed: 1,
    kinds: ['agentFinishes', 'sweepEveryMinute'],
    breaks: '5: an agent',
    mutation: {
      deps: (deps, _world, { functionName }) =>
        functionName !== 'sweep'
          ? deps
          : {
              ...deps,
              launches: launchesWith(deps.launches, {
                get: async (launchId) => {
                  const record = await deps.launches.get(launchId);
                  const plan = record?.plan && { ...record.plan, removeExitedAfterSeconds: 0 };
                  return record && plan ? { ...record, plan } : record;
                },
              }),
            },
    },
  },
  {
    name: 'a sweep looks for objects, and not for launches',
    seed: 1,
    kinds: ['crashAfterWrite', 'deletedByPeople'],
    breaks: '5: after',
    mutation: {
      deps: (deps, _world, { functionName }) =>
        functionName !== 'sweep'
          ? deps
          : {
              ...deps,
              launches: launchesWith(deps.launches, { list: async () => ({ launches: [], unreadable: [] }) }),
            },
    },
  },
];

import { portWith } from '../../../support/port-with.ts';
import { launchesWith, onlyIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** Defects of clean-up and of relaunches. */
export const cleanUpMutants: readonly Mutant[] = [
  {
    name: 'a clean-up does not wait for Services to go',
    seed: 4,
    kinds: ['serviceOutlives', 'deletedByPeople'],
    breaks: '5: what',
    mutation: onlyIn(['clean-up'], (deps) => ({
      openCluster: async (name) => {
        const { services, ...others } = await deps.openCluster(name);
        const goneAtOnce = portWith(services, {
          async *observe() {
            yield undefined;
          },
        });
        return { ...others, services: goneAtOnce };
      },
    })),
  },
  {
    name: 'a clean-up removes Pods and no Services',
    seed: 1,
    kinds: ['deletedByPeople', 'imagePullFails'],
    breaks: '5:',
    mutation: onlyIn(['clean-up'], (deps) => ({
      openCluster: async (name) => {
        const { services, ...others } = await deps.openCluster(name);
        return { ...others, services: portWith(services, { list: async () => ({ items: [], resourceVersion: '0' }) }) };
      },
    })),
  },
  {
    name: 'a clean-up ends a launch whose agent has connected',
    seed: 4,
    kinds: ['stoppedByPeople', 'endEventLate', 'agentSlow'],
    breaks: '9:',
    mutation: onlyIn(['clean-up'], (deps) => ({
      launches: launchesWith(deps.launches, { end: (launchId, ending) => deps.launches.end(launchId, ending) }),
    })),
  },
  {
    name: 'a launch begins again more often than its plan allows',
    seed: 18,
    kinds: ['podEvicted', 'podPreempted', 'spotReclaimed', 'agentSlow'],
    breaks: '3: a launch begins',
    mutation: {
      logic: (davit) => ({
        ...davit,
        relaunch: (deps, input) => davit.relaunch(deps, { ...input, maxRelaunches: 8 }),
      }),
    },
  },
];

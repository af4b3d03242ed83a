import { portWith } from '../../../support/port-with.ts';
import { onlyIn, openingWith, withLogic, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

export const cleanUpMutants: readonly Mutant[] = [
  {
    name: 'a clean-up does not wait for Services to go',
    world: { seed: 4, kinds: ['serviceOutlives', 'deletedByPeople'] },
    breaks: '5: what',
    mutation: onlyIn(['clean-up'], (deps) =>
      openingWith(deps, ({ services }) => ({
        services: portWith(services, {
          async *observe() {
            yield undefined;
          },
        }),
      })),
    ),
  },
  {
    name: 'a clean-up removes Pods and no Services',
    world: { seed: 1, kinds: ['deletedByPeople', 'imagePullFails'] },
    breaks: '5:',
    mutation: onlyIn(['clean-up'], (deps) =>
      openingWith(deps, ({ services }) => ({
        services: portWith(services, { list: async () => ({ items: [], resourceVersion: '0' }) }),
      })),
    ),
  },
  {
    name: 'a clean-up ends a launch whose agent has connected',
    world: { seed: 4, kinds: ['stoppedByPeople', 'endEventLate', 'agentSlow'] },
    breaks: '9:',
    mutation: withPortIn(['clean-up'], 'launches', (launches) => ({
      end: (launchId, ending) => launches.end(launchId, ending),
    })),
  },
  {
    name: 'a launch begins again more often than its plan allows',
    world: { seed: 18, kinds: ['podEvicted', 'podPreempted', 'spotReclaimed', 'agentSlow'] },
    breaks: '3: a launch begins',
    mutation: withLogic('relaunch', (relaunch) => (deps, input) => relaunch(deps, { ...input, maxRelaunches: 8 })),
  },
];

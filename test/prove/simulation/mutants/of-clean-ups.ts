import { isHeld } from '../../../../core/launch/launch-record.ts';
import { portWith } from '../../../support/port-with.ts';
import { endedLongAgo, getAs, getManyAs, onlyIn, openingWith, withLogic, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

const held = { holdFailedSeconds: 300, kinds: ['imagePullFails', 'sweepEveryMinute'] } as const;

/** Defects of a clean-up, and in holding the Pod of a failed launch. */
export const cleanUpMutants: Mutants = {
  'a clean-up does not wait for Services to go': {
    world: { seed: 4, kinds: ['serviceOutlives', 'deletedByPeople'], breaks: '5: what' },
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
  'a clean-up removes Pods and no Services': {
    world: { seed: 1, kinds: ['deletedByPeople', 'imagePullFails'], breaks: '5:' },
    mutation: onlyIn(['clean-up'], (deps) =>
      openingWith(deps, ({ services }) => ({
        services: portWith(services, { list: async () => ({ items: [], resourceVersion: '0' }) }),
      })),
    ),
  },
  'a clean-up ends a launch whose agent has connected': {
    world: { seed: 4, kinds: ['stoppedByPeople', 'endEventLate', 'agentSlow'], breaks: '9:' },
    mutation: withPortIn(['clean-up'], 'launches', (launches) => ({
      end: (launchId, ending) => launches.end(launchId, ending),
    })),
  },
  'a launch begins again more often than its plan allows': {
    world: {
      seed: 18,
      kinds: ['podEvicted', 'podPreempted', 'spotReclaimed', 'agentSlow'],
      breaks: '3: a launch begins',
    },
    mutation: withLogic('relaunch', (relaunch) => (deps, input) => relaunch(deps, { ...input, maxRelaunches: 8 })),
  },
  'a sweep removes the objects of a launch whose Pod is held': {
    world: { ...held, seed: 1, breaks: 'hold: davit removes' },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      getMany: getManyAs(launches, ({ hold: _hold, ...record }) => record),
      get: getAs(launches, ({ hold: _hold, ...record }) => endedLongAgo(record)),
    })),
  },
  'the clean-up of a failed launch ends the hold of its Pod, as a person would': {
    world: { ...held, seed: 1, breaks: 'hold: davit removes' },
    mutation: withPortIn(['clean-up'], 'launches', (launches) => ({
      end: (launchId, ending, options) =>
        launches.end(launchId, { ...ending, actor: { kind: 'person', name: 'nobody' } }, options),
    })),
  },
  'no sweep ends a hold whose time is over': {
    world: { ...held, seed: 1, breaks: 'hold: the first complete sweep' },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      claimCleanUp: async (launchId, ...called) => {
        const record = await launches.get(launchId);
        return (record === undefined || !isHeld(record)) && launches.claimCleanUp(launchId, ...called);
      },
    })),
  },
  'a launch counts as cleaned while its Pod is held': {
    world: { ...held, seed: 1, breaks: '5: what existed' },
    mutation: withLogic('cleanUp', (cleanUp) => async (deps, input) => {
      const output = await cleanUp(deps, input);
      const launchId = 'detail' in input ? input.detail.name : input.launchId;
      await deps.launches.markCleaned(launchId, deps.nowEpochMs());
      return output;
    }),
  },
};

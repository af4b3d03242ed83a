import { isHeld } from '../../../../core/launch/launch-record.ts';
import { endedLongAgo, getAs, getManyAs, withLogic, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

const held = { holdFailedSeconds: 300, kinds: ['imagePullFails', 'sweepEveryMinute'] } as const;

/** Defects in holding the Pod of a failed launch. */
export const holdMutants: readonly Mutant[] = [
  {
    name: 'a sweep removes the objects of a launch whose Pod is held',
    world: { ...held, seed: 1 },
    breaks: 'hold: davit removes',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      getMany: getManyAs(launches, ({ hold: _hold, ...record }) => record),
      get: getAs(launches, ({ hold: _hold, ...record }) => endedLongAgo(record)),
    })),
  },
  {
    name: 'the clean-up of a failed launch ends the hold of its Pod, as a person would',
    world: { ...held, seed: 1 },
    breaks: 'hold: davit removes',
    mutation: withPortIn(['clean-up'], 'launches', (launches) => ({
      end: (launchId, ending, options) =>
        launches.end(launchId, { ...ending, actor: { kind: 'person', name: 'nobody' } }, options),
    })),
  },
  {
    name: 'no sweep ends a hold whose time is over',
    world: { ...held, seed: 1 },
    breaks: 'hold: the first complete sweep',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      claimCleanUp: async (launchId, ...called) => {
        const record = await launches.get(launchId);
        return (record === undefined || !isHeld(record)) && launches.claimCleanUp(launchId, ...called);
      },
    })),
  },
  {
    name: 'a launch counts as cleaned while its Pod is held',
    world: { ...held, seed: 1 },
    breaks: '5: what existed',
    mutation: withLogic('cleanUp', (cleanUp) => async (deps, input) => {
      const output = await cleanUp(deps, input);
      const launchId = 'detail' in input ? input.detail.name : input.launchId;
      await deps.launches.markCleaned(launchId, deps.nowEpochMs());
      return output;
    }),
  },
];

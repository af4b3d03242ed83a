import { isHeld } from '../../../../core/launch/launch-record.ts';
import { endedLongAgo, getManyAs, launchesWith, onlyIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

const held = { holdFailedSeconds: 300, kinds: ['imagePullFails', 'sweepEveryMinute'] } as const;

/** Defects in holding the Pod of a failed launch. */
export const holdMutants: readonly Mutant[] = [
  {
    name: 'a sweep removes the objects of a launch whose Pod is held',
    seed: 1,
    ...held,
    breaks: 'hold: davit removes',
    mutation: onlyIn(['sweep'], ({ launches }) => ({
      launches: launchesWith(launches, {
        getMany: getManyAs(launches, ({ hold: _hold, ...record }) => record),
        get: async (launchId) => {
          const { hold: _hold, ...record } = (await launches.get(launchId)) ?? {};
          return 'launchId' in record ? endedLongAgo(record) : undefined;
        },
      }),
    })),
  },
  {
    name: 'the clean-up of a failed launch ends the hold of its Pod, as a person would',
    seed: 1,
    ...held,
    breaks: 'hold: davit removes',
    mutation: onlyIn(['clean-up'], ({ launches }) => ({
      launches: launchesWith(launches, {
        end: (launchId, ending, options) =>
          launches.end(launchId, { ...ending, actor: { kind: 'person', name: 'nobody' } }, options),
      }),
    })),
  },
  {
    name: 'no sweep ends a hold whose time is over',
    seed: 1,
    ...held,
    breaks: 'hold: the first complete sweep',
    mutation: onlyIn(['sweep'], ({ launches }) => ({
      launches: launchesWith(launches, {
        claimCleanUp: async (launchId, ...called) => {
          const record = await launches.get(launchId);
          return (record === undefined || !isHeld(record)) && launches.claimCleanUp(launchId, ...called);
        },
      }),
    })),
  },
  {
    name: 'a launch counts as cleaned while its Pod is held',
    seed: 1,
    ...held,
    breaks: '5: what existed',
    mutation: {
      logic: (davit) => ({
        ...davit,
        cleanUp: async (deps, input) => {
          const output = await davit.cleanUp(deps, input);
          const launchId = 'detail' in input ? input.detail.name : input.launchId;
          await deps.launches.markCleaned(launchId, deps.nowEpochMs());
          return output;
        },
      }),
    },
  },
];

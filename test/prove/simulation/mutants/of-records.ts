import { clusterWith, onlyIn, withLogic, withPort } from './doubles.ts';
import type { Mutants } from './mutant.ts';

/** Defects of a launch's record, and of when it is written. */
export const recordMutants: Mutants = {
  'connected is toggled instead of set': {
    world: { seed: 1, kinds: ['agentTwice'], breaks: 'records:' },
    mutation: withPort('launches', (_own, { world: { launches }, invocation }) => ({
      markConnected: async ({ launchId }, connectedAtEpochMs) => {
        const toggled = await invocation.writes('store', () =>
          launches.updateIf(
            launchId,
            ({ status }) => status === 'launching' || status === 'connected',
            (record) =>
              record.status === 'connected'
                ? { ...record, status: 'launching' }
                : { ...record, status: 'connected', connectedAtEpochMs },
          ),
        );
        return toggled?.plan;
      },
    })),
  },
  "connected is set whatever the launch's status": {
    world: { seed: 864, kinds: ['agentTwice', 'deletedByPeople'], breaks: 'records:' },
    mutation: withPort('launches', (_own, { world: { launches }, invocation }) => ({
      markConnected: async ({ launchId }, connectedAtEpochMs) => {
        const connected = await invocation.writes('store', () =>
          launches.updateIf(
            launchId,
            () => true,
            (record) => ({ ...record, status: 'connected', connectedAtEpochMs }),
          ),
        );
        return connected?.plan;
      },
    })),
  },
  'an agent of an earlier generation is let in': {
    world: { seed: 97, kinds: ['nodeLost', 'agentSlow'], breaks: '4:' },
    mutation: withPort('launches', (launches) => ({
      markConnected: async ({ launchId }, atEpochMs) => {
        const record = await launches.get(launchId);
        const agentName = record?.plan?.agentName;
        return agentName === undefined ? undefined : launches.markConnected({ launchId, agentName }, atEpochMs);
      },
    })),
  },
  'a clean-up deletes before it marks the launch': {
    world: { seed: 19, kinds: ['stoppedByPeople', 'agentSlow'], breaks: 'connect:' },
    mutation: withLogic('cleanUp', (cleanUp) => (deps, input) => {
      let ending: Parameters<typeof deps.launches.end>[1] | undefined;
      const launches = {
        salvage: (launchId: string) => deps.launches.salvage(launchId),
        noteDiagnostics: async () => undefined,
        end: async (launchId: string, found: NonNullable<typeof ending>) => {
          ending = found;
          const record = await deps.launches.salvage(launchId);
          return record && { ...record, status: 'cleaning' as const, ending: record.ending ?? found };
        },
        markCleaned: async (launchId: string, atEpochMs: number) => {
          if (ending !== undefined) await deps.launches.end(launchId, ending);
          await deps.launches.markCleaned(launchId, atEpochMs);
        },
        markLeft: async () => undefined,
      };
      return cleanUp({ ...deps, launches }, input);
    }),
  },
  'a launch is recorded as cleaned before its objects are gone': {
    world: { seed: 1, kinds: ['deletedByPeople'], breaks: '5:' },
    mutation: onlyIn(['clean-up'], (deps) =>
      clusterWith(deps, () => ({
        async *observe() {
          yield undefined;
        },
      })),
    ),
  },
};

import { liveStatuses } from '../../../../core/launch/launch-record.ts';
import { withPort, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

const maxAgents = { ofProfile: 1, ofOrganization: 2 };

/** Defects of limits on agents. */
export const limitMutants: Mutants = {
  'a limit is counted from a stale list': {
    world: { seed: 16, queued: 6, maxAgents, kinds: ['staleList'], breaks: '11: no limit' },
    mutation: withPort('slots', (_own, { deps, world: { slots }, invocation }) => ({
      get: async (key) => {
        const page = await deps.launches.list({ statuses: [...liveStatuses, 'cleaning'], limit: 500 });
        const counted = page?.launches.filter(({ plan }) => plan?.slots?.limits.includes(key)) ?? [];
        return new Map(
          counted.map(({ launchId, requestedAtEpochMs: takenAtEpochMs }) => [
            launchId,
            { launchId, repository: 'acme/shop', takenAtEpochMs },
          ]),
        );
      },
      take: (limit, holder, slot) => invocation.writes('store', () => slots.putIf(limit, holder, slot, () => true)),
    })),
  },
  'a slot is free when its launch is told to end, and not when everything of it is gone': {
    world: { seed: 1, queued: 6, maxAgents, kinds: ['ciJobCancelled', 'podOutlives'], breaks: '11: no limit' },
    mutation: withPort('launches', (launches, { deps }) => ({
      end: async (launchId, ...given) => {
        const record = await launches.end(launchId, ...given);
        const held = record?.plan?.slots;
        if (held !== undefined && record?.status === 'cleaning') {
          for (const key of held.limits) await deps.slots.free(key, `${launchId}/${held.attempt}`);
        }
        return record;
      },
    })),
  },
  'nobody frees the slots of an attempt that died': {
    world: { seed: 1, queued: 6, maxAgents, kinds: ['crashAfterWrite'], breaks: '1' },
    mutation: withPortIn(['reconcile'], 'slots', () => ({ free: async () => undefined })),
  },
  'jobs that wait for slots are never admitted': {
    world: { seed: 2, queued: 6, maxAgents, kinds: [], breaks: '1' },
    mutation: withPortIn(['reconcile', 'admit'], 'slots', () => ({ take: async () => false })),
  },
};

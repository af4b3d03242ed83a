import { withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** Defects of agents that stand by until they are summoned. */
export const standbyMutants: readonly Mutant[] = [
  {
    name: 'an agent stands by although its job waits',
    world: { seed: 1, queued: 4, warm: 1, kinds: [] },
    breaks: '12: no agent stands by while the job waits',
    mutation: withPortIn(['connect'], 'jobs', (jobs) => ({
      getMany: async (jobKeys) => (await jobs.getMany(jobKeys)).map((job) => ({ ...job, status: 'completed' })),
    })),
  },
  {
    name: 'a summons is lost, and nobody repeats it',
    world: { seed: 7, queued: 4, warm: 1, kinds: ['ciEventLost'] },
    breaks: '12: no job waits while an agent of its pool stands by',
    mutation: withPortIn(['webhook', 'reconcile'], 'registrations', () => ({ summon: async () => true })),
  },
  {
    name: 'an agent that stands by is registered without a summons',
    world: { seed: 1, queued: 1, warm: 1, kinds: [] },
    breaks: '12: no agent that stands by is registered',
    mutation: withPortIn(['connect'], 'registrations', (registrations, { world: { launches } }) => ({
      standBy: async (agent, ...given) => {
        const record = await registrations.standBy(agent, ...given);
        if (record === undefined) return undefined;
        const { standby: _standby, ...forgetful } = record;
        return launches.put(forgetful);
      },
    })),
  },
];

import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { looksWith, manyReadAs, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

function asConnected(record: LaunchRecord, nowEpochMs: number): LaunchRecord {
  return record.status === 'launching' ? { ...record, status: 'connected', connectedAtEpochMs: nowEpochMs } : record;
}

function asTerminatedByDavit(record: LaunchRecord): LaunchRecord {
  const { ending } = record;
  return ending === undefined ? record : { ...record, ending: { ...ending, outcome: 'terminated', by: 'reconcile' } };
}

/** Defects of agents that are launched before there are jobs, and of those that stand by until they are summoned. */
export const warmMutants: Mutants = {
  'two reconciles number their warm launches differently': {
    world: { seed: 1, queued: 1, warm: 2, kinds: ['reconcileTwice'], breaks: '12: no warm agent is launched' },
    mutation: looksWith((looks, { core }) => {
      const nextWarm = core.random.whole(1_000_000, 9_000_000);
      return new Map([...looks].map(([key, look]) => [key, { ...look, nextWarm }]));
    }),
  },
  'a look forgets how many warm agents are missing': {
    world: { seed: 1, queued: 1, warm: 2, kinds: [], breaks: '12: a pool has its warm agents' },
    mutation: looksWith(
      (looks) => new Map([...looks].map(([key, { missingWithWarm: _forgotten, ...look }]) => [key, look])),
    ),
  },
  'a warm agent that is being launched counts as connected': {
    world: {
      seed: 1,
      queued: 1,
      warm: 2,
      kinds: ['agentSlow', 'imagePullLong', 'unschedulable'],
      breaks: '12: no warm agent is replaced',
    },
    mutation: manyReadAs(['reconcile'], (record, { deps }) => asConnected(record, deps.nowEpochMs())),
  },
  'warm agents keep their slots from jobs of other pools': {
    world: {
      seed: 127,
      queued: 6,
      warm: 1,
      maxAgents: { ofProfile: 1, ofOrganization: 1 },
      kinds: [],
      breaks: '12: no job waits for a slot',
    },
    mutation: withPortIn(['reconcile'], 'jobs', () => ({ listLimited: async () => [] })),
  },
  'a pool gets warm agents although the latest have ended without a job': {
    world: {
      seed: 16,
      queued: 1,
      warm: 2,
      kinds: ['warmLeaves', 'asyncLate'],
      breaks: '12: a pool gets no warm agent',
    },
    mutation: manyReadAs(['reconcile'], asTerminatedByDavit),
  },
  'an agent stands by although its job waits': {
    world: { seed: 1, queued: 4, warm: 1, kinds: [], breaks: '12: no agent stands by while the job waits' },
    mutation: withPortIn(['connect'], 'jobs', (jobs) => ({
      getMany: async (jobKeys) => (await jobs.getMany(jobKeys)).map((job) => ({ ...job, status: 'completed' })),
    })),
  },
  'a summons is lost, and nobody repeats it': {
    world: {
      seed: 7,
      queued: 4,
      warm: 1,
      kinds: ['ciEventLost'],
      breaks: '12: no job waits while an agent of its pool stands by',
    },
    mutation: withPortIn(['webhook', 'reconcile'], 'registrations', () => ({ summon: async () => true })),
  },
  'an agent that stands by is registered without a summons': {
    world: { seed: 1, queued: 1, warm: 1, kinds: [], breaks: '12: no agent that stands by is registered' },
    mutation: withPortIn(['connect'], 'registrations', (registrations, { world: { launches } }) => ({
      standBy: async (agent, ...given) => {
        const record = await registrations.standBy(agent, ...given);
        if (record === undefined) return undefined;
        const { standby: _standby, ...forgetful } = record;
        return launches.put(forgetful);
      },
    })),
  },
};

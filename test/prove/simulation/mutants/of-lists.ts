import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { getManyAs, withCiIn, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** A davit that takes what a list lacks for gone does not ask for it. */
const isGone = async () => undefined;

function asOver(record: LaunchRecord): LaunchRecord {
  return { ...record, status: 'terminated' };
}

/** Defects of what davit makes of a list that lacks what is there. */
export const listMutants: readonly Mutant[] = [
  {
    name: 'an agent is ended because no list has its job and its runner',
    world: { seed: 1, queued: 6, kinds: ['listMissesOne', 'ciJobLong'] },
    breaks: '9: no agent',
    mutation: withCiIn(['reconcile', 'retire-runner'], () => ({ getRunner: isGone, getJob: isGone })),
  },
  {
    name: 'an agent is taken for spent because a list lacks its runner',
    world: { seed: 2, queued: 4, kinds: ['listMissesOne', 'ciAssignsNothing'] },
    breaks: '10: ',
    mutation: withCiIn(['reconcile'], () => ({ getRunner: isGone })),
  },
  {
    name: 'a queued job of a quiet repository is taken for one that is over',
    world: { seed: 1, queued: 6, kinds: ['repositoryQuiet', 'imagePullFails'] },
    breaks: '10: ',
    mutation: withCiIn(['reconcile'], () => ({ getJob: isGone })),
  },
  {
    name: 'a launch that the index lacks is taken for one that is over',
    world: {
      seed: 1670,
      queued: 6,
      kinds: ['staleList', 'imagePullLong', 'agentSlow', 'initSlow', 'unschedulable', 'hostLate'],
    },
    breaks: '10: a job gets another launch',
    mutation: withPortIn(['reconcile'], 'launches', (launches) => {
      const indexed = new Set<string>();
      return {
        list: async (query) => {
          const page = await launches.list(query);
          for (const { launchId } of page?.launches ?? []) indexed.add(launchId);
          return page;
        },
        getMany: getManyAs(launches, (record) => (indexed.has(record.launchId) ? record : asOver(record))),
      };
    }),
  },
];

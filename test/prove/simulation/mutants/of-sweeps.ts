import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { endedLongAgo, getAs, getManyAs, withCiIn, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

function asOver(record: LaunchRecord): LaunchRecord {
  return record.status === 'connected' ? { ...record, status: 'terminated' } : record;
}

/** A davit that takes what a list lacks for gone does not ask for it. */
const isGone = async () => undefined;

function asTerminated(record: LaunchRecord): LaunchRecord {
  return { ...record, status: 'terminated' };
}

/** Defects of a sweep, and of what davit makes of a list that lacks what is there. */
export const sweepMutants: Mutants = {
  'a sweep deletes the Pod of a launch that has just ended, before its clean-up has read it': {
    world: {
      seed: 1,
      queued: 6,
      kinds: ['invokeRefused', 'spotReclaimed', 'runnerFailsJob', 'sweepEveryMinute'],
      breaks: '10: each job that its runner failed',
    },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({ get: getAs(launches, endedLongAgo) })),
  },
  'a sweep leaves a connected launch alone whose Pod is gone': {
    world: { seed: 4, kinds: ['deletedByOthers', 'nodeGone', 'webhookLost'], breaks: '5: an agent' },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      end: async (launchId, ending, options) =>
        ending.message.includes('is gone') ? launches.get(launchId) : launches.end(launchId, ending, options),
    })),
  },
  'an agent that has exited is removed by the sweep that first sees it': {
    world: { seed: 1, kinds: ['agentFinishes', 'sweepEveryMinute'], breaks: '5: an agent' },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      get: getAs(launches, (record) => ({
        ...record,
        ...(record.plan && { plan: { ...record.plan, removeExitedAfterSeconds: 0 } }),
      })),
    })),
  },
  'a sweep looks for objects, and not for launches': {
    world: { seed: 29, kinds: ['crashAfterWrite', 'deletedByPeople'], breaks: '5: after' },
    mutation: withPortIn(['sweep'], 'launches', () => ({ list: async () => ({ launches: [], unreadable: [] }) })),
  },
  'a sweep looks for no agent that has lived too long': {
    world: { seed: 1, kinds: ['webhookLost'], breaks: '5: an agent' },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      list: (query) => launches.list({ ...query, statuses: query.statuses.filter((each) => each !== 'connected') }),
    })),
  },
  'a sweep takes a launch that is connected for one that is over': {
    world: { seed: 1, kinds: ['sweepEveryMinute'], breaks: '9:' },
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      getMany: getManyAs(launches, asOver),
      get: getAs(launches, asOver),
    })),
  },
  'an agent is ended because no list has its job and its runner': {
    world: { seed: 1, queued: 6, kinds: ['listMissesOne', 'ciJobLong'], breaks: '9: no agent' },
    mutation: withCiIn(['reconcile', 'retire-runner'], () => ({ getRunner: isGone, getJob: isGone })),
  },
  'an agent is taken for spent because a list lacks its runner': {
    world: { seed: 2, queued: 4, kinds: ['listMissesOne', 'ciAssignsNothing'], breaks: '10: ' },
    mutation: withCiIn(['reconcile'], () => ({ getRunner: isGone })),
  },
  'a queued job of a quiet repository is taken for one that is over': {
    world: { seed: 1, queued: 6, kinds: ['repositoryQuiet', 'imagePullFails'], breaks: '10: ' },
    mutation: withCiIn(['reconcile'], () => ({ getJob: isGone })),
  },
  'a launch that the index lacks is taken for one that is over': {
    world: {
      seed: 1670,
      queued: 6,
      kinds: ['staleList', 'imagePullLong', 'agentSlow', 'initSlow', 'unschedulable', 'hostLate'],
      breaks: '10: a job gets another launch',
    },
    mutation: withPortIn(['reconcile'], 'launches', (launches) => {
      const indexed = new Set<string>();
      return {
        list: async (query) => {
          const page = await launches.list(query);
          for (const { launchId } of page?.launches ?? []) indexed.add(launchId);
          return page;
        },
        getMany: getManyAs(launches, (record) => (indexed.has(record.launchId) ? record : asTerminated(record))),
      };
    }),
  },
};

import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { endedLongAgo, getAs, getManyAs, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

export const sweepMutants: readonly Mutant[] = [
  {
    name: 'a sweep deletes the Pod of a launch that has just ended, before its clean-up has read it',
    world: { seed: 1, queued: 6, kinds: ['invokeRefused', 'spotReclaimed', 'runnerFailsJob', 'sweepEveryMinute'] },
    breaks: '10: each job that its runner failed',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({ get: getAs(launches, endedLongAgo) })),
  },
  {
    name: 'a sweep leaves a connected launch alone whose Pod is gone',
    world: { seed: 4, kinds: ['deletedByOthers', 'nodeGone', 'webhookLost'] },
    breaks: '5: an agent',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      end: async (launchId, ending, options) =>
        ending.message.includes('is gone') ? launches.get(launchId) : launches.end(launchId, ending, options),
    })),
  },
  {
    name: 'an agent that has exited is removed by the sweep that first sees it',
    world: { seed: 1, kinds: ['agentFinishes', 'sweepEveryMinute'] },
    breaks: '5: an agent',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      get: getAs(launches, (record) => ({
        ...record,
        ...(record.plan && { plan: { ...record.plan, removeExitedAfterSeconds: 0 } }),
      })),
    })),
  },
  {
    name: 'a sweep looks for objects, and not for launches',
    world: { seed: 29, kinds: ['crashAfterWrite', 'deletedByPeople'] },
    breaks: '5: after',
    mutation: withPortIn(['sweep'], 'launches', () => ({ list: async () => ({ launches: [], unreadable: [] }) })),
  },
  {
    name: 'a sweep looks for no agent that has lived too long',
    world: { seed: 1, kinds: ['webhookLost'] },
    breaks: '5: an agent',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      list: (query) => launches.list({ ...query, statuses: query.statuses.filter((each) => each !== 'connected') }),
    })),
  },
  {
    name: 'a sweep takes a launch that is connected for one that is over',
    world: { seed: 1, kinds: ['sweepEveryMinute'] },
    breaks: '9:',
    mutation: withPortIn(['sweep'], 'launches', (launches) => ({
      getMany: getManyAs(launches, asOver),
      get: getAs(launches, asOver),
    })),
  },
];

function asOver(record: LaunchRecord): LaunchRecord {
  return record.status === 'connected' ? { ...record, status: 'terminated' } : record;
}

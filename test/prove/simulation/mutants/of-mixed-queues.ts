import { type AgentSize, sizeLabelsOf } from '../../../../core/agent/agent-size.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { holderOf } from '../../../../core/limits/slot-holder.ts';
import { isWarmLaunch } from '../../../../simulation/world/warm.ts';
import { getAs, withPort, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

const mixed = { queued: 8, warm: 1, isSized: true, maxAgents: { ofProfile: 2, ofOrganization: 3 } } as const;

const oneCore: AgentSize = { cpu: '1' };

/** A warm agent that joins its queue with the labels of a size. Its Pod has no size. */
function joinsAsSized(record: LaunchRecord): LaunchRecord {
  const { launchId, plan } = record;
  if (plan?.join === undefined || !isWarmLaunch(launchId)) return record;
  const labels = [...plan.join.labels, ...sizeLabelsOf(oneCore)];
  return { ...record, plan: { ...plan, join: { ...plan.join, labels } } };
}

/** Defects of queues with sizes, warm agents and limits at once. */
export const mixedMutants: readonly Mutant[] = [
  {
    name: 'a warm agent takes jobs that ask for a size',
    world: { ...mixed, seed: 25, kinds: [] },
    breaks: '13: a job',
    mutation: withPortIn(['register-runner'], 'launches', (launches) => ({ get: getAs(launches, joinsAsSized) })),
  },
  {
    name: 'the launch of a job with a size counts for no limit',
    world: { ...mixed, seed: 4, kinds: [] },
    breaks: '11: no limit',
    mutation: withPort('launches', (launches, { deps }) => ({
      request: async (record) => {
        const { plan, launchId } = record;
        if (plan?.size !== undefined && plan.slots !== undefined) {
          for (const key of plan.slots.limits) await deps.slots.free(key, holderOf(launchId, plan.slots));
        }
        return launches.request(record);
      },
    })),
  },
];

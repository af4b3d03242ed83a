import { type AgentSize, sizeLabelsOf } from '../../../../core/agent/agent-size.ts';
import type { JobRecord } from '../../../../core/job/job-record.ts';
import { matchProfile } from '../../../../core/job/match-profile.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { holderOf } from '../../../../core/limits/slot-holder.ts';
import { isSize } from '../../../../simulation/world/ci-queue.ts';
import type { SimulatedDeps } from '../../../../simulation/world/davit.ts';
import { isWarmLaunch } from '../../../../simulation/world/warm.ts';
import type { World } from '../../../../simulation/world/world.ts';
import { portWith } from '../../../support/port-with.ts';
import { getAs, getManyAs, onlyIn, withLogic, withPort, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

function withoutSizes(labels: readonly string[]): string[] {
  return labels.filter((label) => !isSize(label));
}

/** A launch's state in a pool without sizes. */
function inCommonPool(record: LaunchRecord): LaunchRecord {
  const { plan } = record;
  if (plan?.join === undefined) return record;
  return { ...record, plan: { ...plan, join: { ...plan.join, labels: withoutSizes(plan.join.labels) } } };
}

/** Gives a launch the size of its job, whatever its pool. */
function sizedAgain(record: LaunchRecord, { jobs }: World, { profiles, ciSystems }: SimulatedDeps): LaunchRecord {
  const { plan } = record;
  const job = jobs.get(plan?.jobKey ?? '');
  const size = job && matchProfile(profiles, ciSystems[0] ?? { provider: 'github' }, job).size;
  if (plan?.join === undefined || size === undefined) return record;
  const join = { ...plan.join, labels: [...plan.join.labels, ...sizeLabelsOf(size)] };
  return { ...record, plan: { ...plan, size, join } };
}

function withoutSize(record: LaunchRecord): LaunchRecord {
  if (record.plan === undefined) return record;
  const { size: _size, ...plan } = record.plan;
  return { ...record, plan };
}

const mixed = { queued: 8, warm: 1, isSized: true, maxAgents: { ofProfile: 2, ofOrganization: 3 } } as const;

const oneCore: AgentSize = { cpu: '1' };

/** A warm agent that joins its queue with the labels of a size. Its Pod has no size. */
function joinsAsSized(record: LaunchRecord): LaunchRecord {
  const { launchId, plan } = record;
  if (plan?.join === undefined || !isWarmLaunch(launchId)) return record;
  const labels = [...plan.join.labels, ...sizeLabelsOf(oneCore)];
  return { ...record, plan: { ...plan, join: { ...plan.join, labels } } };
}

/** Defects of sizes that jobs request, and of queues with sizes, warm agents and limits at once. */
export const sizeMutants: Mutants = {
  'the pool forgets the size': {
    world: {
      seed: 128,
      queued: 8,
      isSized: true,
      kinds: ['ciJobCancelled', 'imagePullLong'],
      breaks: '10: no agent is retired',
    },
    mutation: onlyIn(['reconcile'], (deps, world) => ({
      jobs: portWith(deps.jobs, {
        note: async (seen, atEpochMs): Promise<JobRecord> => {
          const record = await deps.jobs.note(seen, atEpochMs);
          return { ...record, labels: withoutSizes(record.labels) };
        },
        getMany: async (jobKeys) => {
          const records = await deps.jobs.getMany(jobKeys);
          return records.map((record) => ({ ...record, labels: withoutSizes(record.labels) }));
        },
      }),
      launches: portWith(deps.launches, {
        getMany: getManyAs(deps.launches, inCommonPool),
        request: async (record) => deps.launches.request(sizedAgain(record, world, deps)),
      }),
    })),
  },
  'a plan forgets the size': {
    world: { seed: 1, queued: 4, isSized: true, kinds: [], breaks: '13: a job' },
    mutation: withPort('launches', (launches) => ({
      request: async (record) => launches.request(withoutSize(record)),
    })),
  },
  'a launch that begins again forgets the size': {
    world: {
      seed: 24,
      queued: 6,
      isSized: true,
      kinds: ['podEvicted', 'spotReclaimed', 'nodeGone'],
      breaks: '13: a job',
    },
    mutation: withLogic(
      'createPod',
      (createPod) => (deps, input) => createPod(deps, input.generation === 1 ? input : { ...input, size: undefined }),
    ),
  },
  'a size has no maximum': {
    world: { seed: 3, queued: 8, isSized: true, kinds: [], breaks: '13: a job' },
    mutation: {
      deps: (deps) => ({
        ...deps,
        profiles: deps.profiles.map((profile) => ({ ...profile, sizes: { cpu: { max: '1000' } } })),
      }),
    },
  },
  'a warm agent takes jobs that ask for a size': {
    world: { ...mixed, seed: 25, kinds: [], breaks: '13: a job' },
    mutation: withPortIn(['register-runner'], 'launches', (launches) => ({ get: getAs(launches, joinsAsSized) })),
  },
  'the launch of a job with a size counts for no limit': {
    world: { ...mixed, seed: 4, kinds: [], breaks: '11: no limit' },
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
};

import { createHash } from 'node:crypto';
import { poolKeyOf } from '../agent/pool.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { JobRecord } from '../job/job-record.ts';
import type { LaunchRecord } from '../launch/launch-record.ts';
import { holderOf } from '../limits/slot-holder.ts';
import { present } from '../present.ts';
import type { WrittenCluster, WrittenJob, WrittenLaunch } from './written.ts';

/** Picks what a trace has of a launch. */
export function writtenLaunch(record: LaunchRecord): WrittenLaunch {
  const { status, requestedAtEpochMs, generations = [], registration, runner, runs, ran, ending } = record;
  const { connectedAtEpochMs, deregisteredAtEpochMs, cleanUpAskedAtEpochMs, cleanedAtEpochMs } = record;
  return present({
    status,
    requestedAtEpochMs,
    ...planned(record),
    generations: generations.map(({ agentName, cluster, code }) => present({ agentName, cluster, code })),
    connectedAtEpochMs,
    standby: standbyOf(record),
    registration: registration && {
      nonce: fingerprint(registration.nonce),
      begunAtEpochMs: registration.begunAtEpochMs,
      count: registration.count,
    },
    runnerId: runner?.id,
    deregisteredAtEpochMs,
    runs: runs?.jobKey,
    ranAtEpochMs: ran?.atEpochMs,
    retiring: record.retiring?.reason,
    ending: ending && { outcome: ending.outcome, code: ending.code, by: ending.by, atEpochMs: ending.atEpochMs },
    hold: record.hold,
    signal: record.signal?.code,
    cleanUpAskedAtEpochMs,
    cleanedAtEpochMs,
    left: record.left?.clusters,
  });
}

function standbyOf({ standby }: LaunchRecord): WrittenLaunch['standby'] {
  if (standby === undefined) return undefined;
  const { sinceEpochMs, renewals, summons } = standby;
  return present({ sinceEpochMs, renewals, summonedFor: summons?.jobKey });
}

/** A tombstone has no plan. */
function planned({ plan }: LaunchRecord) {
  if (plan === undefined) return {};
  const { agentName, generation, cluster, namespace, profile, jobKey, join, slots } = plan;
  return {
    agentName,
    generation,
    cluster,
    namespace,
    profile,
    lifetimeSeconds: plan.maxAgentLifetimeSeconds,
    jobKey,
    pool: join && poolKeyOf(join),
    standsBy: join?.standsBy,
    ciSystem: join?.ciSystem,
    slots: slots && { holder: holderOf(plan.launchId, slots), limits: slots.limits },
  };
}

/** A nonce is for davit's functions alone. */
function fingerprint(nonce: string): string {
  return createHash('sha256').update(nonce).digest('hex').slice(0, 12);
}

/** Picks what a trace has of a job. */
export function writtenJob(record: JobRecord): WrittenJob {
  const { status, ciSystem, launches, lastLaunch, ranBy, runner, limitedBy, notLaunched } = record;
  const isExplained = notLaunched !== undefined;
  const known = { lastLaunch: lastLaunch?.launchId, ranBy, runner: runner?.name, limitedBy };
  return present({ status, ciSystem, launches, ...known, isExplained });
}

/** Picks what a trace has of a cluster's state. */
export function writtenCluster({ connected, sinceEpochMs, namespaces = [] }: ClusterState): WrittenCluster {
  return {
    connected,
    sinceEpochMs,
    namespaces: namespaces.map((each) => ({
      namespace: each.namespace,
      connected: each.connected,
      sinceEpochMs: each.sinceEpochMs,
    })),
  };
}

import { PendingError, TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { PodTimes } from '../../core/launch/execution-state.ts';
import { type Ending, isHeld, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { labelKeys } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import { type AwayClustersDeps, awayClusters } from '../../logic/cluster-reports/away-clusters.ts';
import { readDiagnostics } from '../../logic/steps/read-diagnostics.ts';
import { type RemovedObject, removeObjects } from '../../logic/steps/remove-objects.ts';
import type { Cluster, ObjectPort, OpenCluster } from '../../ports/cluster.ts';
import type { Launches } from '../../ports/launches.ts';
import { observeMs } from '../../runtime/function-settings.ts';
import { type NoteLostJobDeps, noteLostJob } from './note-lost-job.ts';

/** Where a launch may have objects. */
export const Placement = z.pick(LaunchPlan, { launchId: true, agentName: true, cluster: true, namespace: true });
export type Placement = z.infer<typeof Placement>;

/** The dependencies of removing a launch's objects. */
export interface RemovalDeps extends AwayClustersDeps, NoteLostJobDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'noteDiagnostics'>;
}

/**
 * The outcome of a removal. Objects may be left because their deletion takes time, because their cluster is away, or
 * because davit.yaml no longer has their cluster.
 */
export interface RemovalOutcome {
  pending?: PendingError;
  away?: Pick<Ending, 'code' | 'message'>;
  /** The namespaces in clusters that davit.yaml no longer has: davit cannot look there. */
  left: Placement[];
  /** The times of the launch's present Pod, if it was still there. */
  times?: PodTimes;
  /** The launch's present Pod is there, and stays while it is held. */
  isHeld: boolean;
}

/**
 * Removes the launch's objects in every namespace at once, and waits until they are gone.
 *
 * @throws the first error that is no PendingError and does not come from a cluster that is known to be away or not in
 *   davit.yaml
 */
export async function removeEverywhere(
  deps: RemovalDeps,
  placements: readonly Placement[],
  record: LaunchRecord | undefined,
): Promise<RemovalOutcome> {
  const removal: RemovalOutcome = { left: [], isHeld: false };
  const remove = async (placement: Placement) => {
    try {
      await removeAll(deps, placement, record, removal);
    } catch (error) {
      if (error instanceof PendingError) removal.pending = error;
      else if (isOfNoCluster(error)) removal.left.push(placement);
      else if (await isOfAwayCluster(deps, placement, error)) removal.away = awayOf(placement);
      else throw error;
    }
  };
  const results = await Promise.allSettled(placements.map(remove));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return removal;
}

/** As `OpenCluster` says it. */
function isOfNoCluster(error: unknown): boolean {
  return error instanceof TerminalError && error.code === 'ProfileUnknown';
}

async function isOfAwayCluster(deps: RemovalDeps, { cluster, namespace }: Placement, error: unknown): Promise<boolean> {
  if (!(error instanceof TransientError) || error.code !== 'ClusterUnreachable') return false;
  return (await awayClusters(deps, [cluster], namespace)).has(cluster);
}

function awayOf({ launchId, cluster }: Placement): Pick<Ending, 'code' | 'message'> {
  const detail = `cluster ${cluster} is away, and may have objects of launch ${launchId}`;
  return { code: 'RemovalPending', message: `RemovalPending: ${detail}` };
}

/** Removes the launch's objects of every generation in one namespace, and waits until they are gone. */
async function removeAll(
  deps: RemovalDeps,
  placement: Placement,
  record: LaunchRecord | undefined,
  removal: RemovalOutcome,
): Promise<void> {
  const { launchId, agentName, cluster: name, namespace } = placement;
  const cluster = await deps.openCluster(name);
  const untilEpochMs = deps.nowEpochMs() + observeMs;
  const isPresent = record?.plan === undefined || record.plan.cluster === name;
  const diagnostics = isPresent && isUntold(record) ? await diagnose(deps, cluster, placement, record) : undefined;
  if (isPresent && record !== undefined) await noteLostJob(deps, cluster, placement, record);
  const held = isPresent && record !== undefined && isHeld(record) ? await heldName(cluster, record) : undefined;
  removal.isHeld ||= held !== undefined;
  const objects = await removeObjects(cluster, namespace, { [labelKeys.launchId]: launchId }, held);
  const times = objects.find(({ kind, name: ofObject }) => kind === 'Pod' && ofObject === agentName)?.times;
  if (times !== undefined) removal.times = times;
  // Not earlier: if davit could not reach the cluster, the next attempt asks it again.
  if (diagnostics !== undefined) await deps.launches.noteDiagnostics(launchId, diagnostics);
  for (const removed of objects) {
    const port = removed.kind === 'Pod' ? cluster.pods : cluster.services;
    if (await isGone(port, namespace, removed, untilEpochMs - deps.nowEpochMs())) continue;
    const detail = `${removed.kind} ${removed.name} is not gone yet`;
    throw new PendingError('RemovalPending', detail, { launchId, cluster: name, namespace });
  }
}

/** A held launch without a Pod holds nothing. */
async function heldName({ pods }: Cluster, { launchId, plan }: LaunchRecord): Promise<string | undefined> {
  if (plan === undefined) return undefined;
  const pod = await pods.get(plan.namespace, plan.agentName);
  const isOurs = pod?.metadata.labels?.[labelKeys.launchId] === launchId;
  return isOurs && pod.metadata.deletionTimestamp === undefined ? plan.agentName : undefined;
}

function isUntold(record: LaunchRecord | undefined): record is LaunchRecord {
  return record?.ending?.outcome === 'failed' && record.diagnostics === undefined;
}

async function diagnose(deps: RemovalDeps, cluster: Cluster, placement: Placement, record: LaunchRecord) {
  const secrets = Object.values(record.env ?? {});
  return await readDiagnostics(cluster, { ...placement, secrets }, deps.nowEpochMs());
}

async function isGone(
  objects: ObjectPort<{ metadata: { uid: string } }>,
  namespace: string,
  { name, uid, since }: RemovedObject,
  leftMs: number,
): Promise<boolean> {
  for await (const seen of objects.observe(namespace, name, { since, forMs: Math.max(0, leftMs) })) {
    if (seen?.metadata.uid !== uid) return true;
  }
  return false;
}

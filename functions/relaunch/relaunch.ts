import { errorCodes, isMoveCode, type RelaunchCode } from '../../core/errors/error-codes.ts';
import { DavitError, TerminalError } from '../../core/errors/errors.ts';
import { LaunchState, Stamps } from '../../core/launch/execution-state.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { labelKeys } from '../../core/launch/names.ts';
import { nextGeneration, nextGenerationElsewhere, relaunchesOf } from '../../core/launch/plan-launch.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import * as z from '../../core/zod.ts';
import { type AwayClustersDeps, awayClusters } from '../../logic/cluster-reports/away-clusters.ts';
import { readFailure, type StepFailure } from '../../logic/steps/read-failure.ts';
import { removeObjects } from '../../logic/steps/remove-objects.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { Launches } from '../../ports/launches.ts';

/** The plan, the steps' stamps, and the failure: infrastructure took the Pod, or the cluster cannot run the launch. */
export const RelaunchInput = z.extend(LaunchPlan, { ...Stamps.shape, failure: LaunchState.shape.failure });
/** The next generation's plan: it replaces all of the execution's data. */
export const RelaunchOutput = LaunchPlan;

interface RelaunchDeps extends AwayClustersDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'relaunch'>;
}

/**
 * Begins a launch's next generation, under a new agent name, if the agent has not connected and relaunches are left. If
 * the cluster cannot run the launch, the launch moves to another cluster, which does not count as a relaunch.
 *
 * Changes the record first: from then on the old agent's credential is void. So the new generation need not wait until
 * the old objects are gone. A clean-up or a sweep finds them by the launch's label, in every cluster that the record
 * names. Removes only the old generation's objects, so that a late attempt removes nothing of a later generation. Safe
 * to repeat.
 *
 * @throws TransientError; TerminalError with the failure's code when no relaunch or cluster is left, the agent has
 *   connected, or the launch is over
 */
export async function relaunch(
  deps: RelaunchDeps,
  { failure, service, nodePort, pod, placement, token, ...plan }: z.infer<typeof RelaunchInput>,
): Promise<z.infer<typeof RelaunchOutput>> {
  const { agentName, cluster } = plan;
  const ended = readFailure(failure);
  const isMove = isMoveCode(ended.code);
  const nowEpochMs = deps.nowEpochMs();
  const next = isMove ? await planMove(deps, plan, ended, nowEpochMs) : planRelaunch(plan, ended, nowEpochMs);
  const { startedAtEpochMs } = plan;
  const timeline = timelineOf({ startedAtEpochMs, service, nodePort, pod, placement, token });
  const generation = { agentName, cluster, ...ended, endedAtEpochMs: nowEpochMs, timeline };
  const record = await deps.launches.relaunch(next, generation);
  if (record?.status !== 'launching' || record.plan?.generation !== next.generation) {
    throw refused(ended, `the launch is ${record?.status ?? 'forgotten'}`);
  }
  if (isMove) await removeUnlessAway(deps, plan, ended);
  else await removeGeneration(deps, plan);
  return record.plan;
}

function planRelaunch(plan: LaunchPlan, ended: StepFailure, nowEpochMs: number): LaunchPlan {
  if (relaunchesOf(plan) < plan.maxRelaunches) return nextGeneration(plan, nowEpochMs);
  throw refused(ended, `it was launched ${timesOf(plan.generation)}`);
}

async function planMove(
  deps: RelaunchDeps,
  plan: LaunchPlan,
  ended: StepFailure,
  nowEpochMs: number,
): Promise<LaunchPlan> {
  const away = await awayClusters(deps, plan.failover?.clusters ?? [], plan.namespace);
  const next = nextGenerationElsewhere(plan, nowEpochMs, away);
  if (next === undefined) throw refused(ended, 'it has used all of its clusters');
  return next;
}

/**
 * Removes the launch's objects from a cluster that it leaves, as far as that cluster permits. The launch does not wait
 * for that: its record names the cluster, so a sweep or its clean-up removes the rest.
 */
async function removeUnlessAway(deps: RelaunchDeps, plan: LaunchPlan, { code }: StepFailure): Promise<void> {
  if (code === 'ClusterAway') return;
  try {
    await removeGeneration(deps, plan);
  } catch (error) {
    if (!(error instanceof DavitError)) throw error;
  }
}

async function removeGeneration(
  { openCluster }: RelaunchDeps,
  { launchId, agentName, cluster, namespace }: LaunchPlan,
): Promise<void> {
  const ofThisGeneration = { [labelKeys.launchId]: launchId, [labelKeys.agentName]: agentName };
  await removeObjects(await openCluster(cluster), namespace, ofThisGeneration);
}

/** The failure's own message has the names. The reason comes first, so that truncation never removes it. */
function refused({ code, message }: StepFailure, why: string): TerminalError {
  const detail = `not launched again: ${why}; at last: ${message.replace(`${code}: `, '')}`;
  return new TerminalError(isRelaunchCode(code) ? code : 'Unexpected', detail);
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function isRelaunchCode(code: StepFailure['code']): code is RelaunchCode {
  return errorCodes[code].family === 'relaunch';
}

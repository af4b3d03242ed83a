import { isOver } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { holderOf, type LaunchSlots } from '../../core/limits/slot-holder.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Slots } from '../../ports/slots.ts';
import { type RequestedLaunch, requestLaunch } from './request-launch.ts';

/** The dependencies of requesting a launch under limits. */
export interface RequestLimitedDeps {
  launches: Pick<Launches, 'request' | 'get'>;
  executions: Pick<Executions, 'start'>;
  clusterStates: Pick<ClusterStates, 'get'>;
  slots: Slots;
  /** Makes the name of an attempt, which no other attempt has. */
  newNonce: () => string;
  nowEpochMs: () => number;
}

/** The limits and the repository that a launch counts for. */
interface LimitedRequest {
  limits: readonly SlotLimit[];
  /** The repository of its job; empty without one. */
  repository: string;
  /** Decides, after the slots are taken, whether to request the launch. @default always */
  claim?: () => Promise<boolean>;
  /** The caller's environment and labels for the Pod. */
  given?: Parameters<typeof requestLaunch>[2];
}

/** The outcome of a request: a limit refused it, its claim refused it, or the launch exists. */
type LimitedOutcome =
  | { is: 'requested'; requested: RequestedLaunch }
  | { is: 'refused'; by: SlotLimit }
  | { is: 'unclaimed' };

/**
 * Requests a launch under limits: takes a slot of each, then writes the launch's record with these slots, then starts
 * it.
 *
 * Several callers may try to make one launch at once, and each takes slots of its own. The record decides whose slots
 * are the launch's: the others give theirs back. A caller that dies in between leaves slots without a launch;
 * reconciling frees them.
 *
 * @throws TransientError when a service did not answer; a repeat takes other slots, and reconciling frees the first
 * @see docs/adr/0025-a-slot-is-taken-for-one-attempt.md
 */
export async function requestLimited(
  deps: RequestLimitedDeps,
  plan: LaunchPlan,
  { limits, repository, claim, given }: LimitedRequest,
): Promise<LimitedOutcome> {
  const { launchId } = plan;
  if (limits.length === 0) {
    if (claim !== undefined && !(await claim())) return { is: 'unclaimed' };
    return { is: 'requested', requested: await requestLaunch(deps, plan, given) };
  }
  const slots: LaunchSlots = { attempt: deps.newNonce(), limits: limits.map(({ key }) => key) };
  const holder = holderOf(launchId, slots);
  const slot = { launchId, repository, takenAtEpochMs: deps.nowEpochMs() };
  for (const limit of limits) {
    if (await deps.slots.take(limit, holder, slot)) continue;
    await freeAll(deps, launchId, slots);
    return { is: 'refused', by: limit };
  }
  if (claim !== undefined && !(await claim())) {
    await freeAll(deps, launchId, slots);
    return { is: 'unclaimed' };
  }
  const requested = await requestLaunch(deps, { ...plan, slots }, given);
  if (requested.record.plan?.slots?.attempt !== slots.attempt) await freeAll(deps, launchId, slots);
  return { is: 'requested', requested };
}

/**
 * Frees the slots of a launch that is over. Repeatable: each slot carries its holder's name, so a repeat frees no other
 * launch's slot.
 *
 * @throws TransientError StoreUnavailable
 */
export async function releaseSlots(
  deps: Pick<RequestLimitedDeps, 'slots'> & { launches: Pick<Launches, 'get'> },
  launchId: LaunchId,
): Promise<void> {
  const record = await deps.launches.get(launchId);
  if (record?.plan?.slots === undefined || !isOver(record)) return;
  await freeAll(deps, launchId, record.plan.slots);
}

async function freeAll(
  { slots }: Pick<RequestLimitedDeps, 'slots'>,
  launchId: LaunchId,
  held: LaunchSlots,
): Promise<void> {
  for (const key of held.limits) await slots.free(key, holderOf(launchId, held));
}

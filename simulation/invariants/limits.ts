import { isOver } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { holderOf } from '../../core/limits/slot-holder.ts';
import { interrupting } from '../world/fault-kinds.ts';
import { isOfRepository } from '../world/warm.ts';
import { type Evidence, type Invariant, waitingIn } from './evidence.ts';

/**
 * The most rounds for which a job may wait while there is room: reconciling frees a slot without a holder in the third
 * round.
 */
const mostRounds = 3;

/** There are never more agents than a limit allows, even if several callers ask at once. */
export const neverOverLimit: Invariant = {
  name: '11: no limit has more launches than its maximum that are not over',
  *check(evidence) {
    const { maxAgents } = evidence.run;
    if (maxAgents === undefined || hasLostSlots(evidence)) return;
    const open = new Map<string, Set<string>>();
    for (const { launchId, from, to } of evidence.of('recorded')) {
      const plan = evidence.planOf(launchId);
      for (const [key, max] of limitsOf(plan, maxAgents)) {
        const launches = open.get(key) ?? new Set();
        open.set(key, launches);
        if (to === 'failed' || to === 'terminated') launches.delete(launchId);
        else if (from === undefined) launches.add(launchId);
        if (launches.size > max) yield `${key} has ${launches.size} of ${max}: ${[...launches].join(', ')}`;
      }
    }
  },
};

/** Returns the limits that count a launch, by the simulated config and not by the launch's record. */
function limitsOf(
  plan: LaunchPlan | undefined,
  { ofProfile, ofOrganization }: NonNullable<Evidence['run']['maxAgents']>,
): [key: string, max: number][] {
  if (plan?.join === undefined) return [];
  return [
    [`profile ${plan.profile}`, ofProfile],
    ...(isOfRepository(plan) ? [['the organization', ofOrganization] satisfies [string, number]] : []),
  ];
}

/** A limit that has lost a slot has room for one launch too many, until reconciling has put the slot back. */
function hasLostSlots(evidence: Evidence): boolean {
  return [...evidence.of('fault')].some(({ fault }) => fault === 'slotLost');
}

/** Others would run beside what is left of the launch. */
export const slotsHeldToTheEnd: Invariant = {
  name: '11: a launch holds its slots until nothing of it is left',
  *check(evidence) {
    const statuses = new Map<string, string>();
    for (const event of evidence.acts) {
      if (event.kind === 'recorded') statuses.set(event.launchId, event.to);
      if (event.kind !== 'slotFreed') continue;
      const { launchId, holder } = event;
      const slots = evidence.planOf(launchId)?.slots;
      if (slots === undefined || holderOf(launchId, slots) !== holder) continue;
      const status = statuses.get(launchId);
      if (status !== undefined && status !== 'failed' && status !== 'terminated')
        yield `a slot of ${launchId} was freed while it was ${status}`;
    }
  },
};

/** A limit would count it until somebody waits for its slots. */
export const noSlotsLeft: Invariant = {
  name: '11: once everything has come to rest, no slot is held by a launch that is over',
  *check({ run: { world } }) {
    for (const [holder, { launchId }] of world.slots.all()) {
      const record = world.launches.latestOf(launchId);
      if (record === undefined || isOver(record)) yield `${holder} still holds a slot`;
    }
  },
};

/** Reconciling frees such slots after minutes, so only a look at each of them shows that they were held. */
export const noSlotsInVain: Invariant = {
  name: '11: a request that a limit refuses keeps no slot of another limit',
  *check(evidence) {
    // An interrupted function takes a slot, and neither uses it nor gives it back.
    if (interrupting.some((kind) => evidence.run.plan.has(kind))) return;
    for (const { holders } of evidence.of('slotsInVain')) yield `slots are held in vain: ${holders.join(', ')}`;
  },
};

/** After the last fault, a waiting job gets a free slot. */
export const roomIsUsed: Invariant = {
  name: '11: no job waits for a slot while there is room for longer than reconciling takes',
  *check(evidence) {
    const rounds = [...evidence.of('calmRound')].map(({ waitingWithRoom }) => waitingWithRoom);
    for (const job of waitingIn(rounds, mostRounds))
      yield `job ${job} waits while there is room for it, in ${mostRounds + 1} rounds`;
  },
};

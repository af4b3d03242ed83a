import { actsIn } from '../../core/ci/join-of.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { isOver, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { holderOf } from '../../core/limits/slot-holder.ts';
import { slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { admitWaiting } from '../../logic/lifecycle/admit-waiting.ts';
import { releaseSlots } from '../../logic/lifecycle/request-limited.ts';
import { tombstone } from '../../logic/lifecycle/tombstone.ts';
import type { HeldSlot, HeldSlots } from '../../ports/slots.ts';
import type { ReconcileDeps, RoundDeps } from './reconcile-deps.ts';
import type { ReconcileReport } from './reconcile-report.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { warmPoolsOf } from './warm-pools.ts';

/** How long a slot may be held without a launch, in milliseconds: longer than any function may take to request one. */
const requestMs = 120_000;

/** How often reconciling runs, in milliseconds. */
const roundMs = 60_000;

/**
 * Counts the slots of limits anew, from the launches, and gives jobs what is free: what the ends of launches would have
 * done, had nobody died in between.
 *
 * @param live launches, as the index has them
 */
export async function reconcileSlots(deps: RoundDeps, run: ReconcileRun, live: readonly LaunchRecord[]): Promise<void> {
  const waiting = await run.attempt('jobs that wait for slots', () => deps.waiting.atFirst());
  if (waiting !== undefined) {
    const jobs = waiting.map(({ job }) => job);
    run.seeLimited(countLimited(jobs, deps.nowEpochMs()));
  }
  const holding = live.flatMap(({ launchId, plan }) =>
    plan?.slots === undefined ? [] : [{ launchId, slots: plan.slots }],
  );
  const keys = new Set([
    ...(waiting ?? []).flatMap(({ limits }) => limits.map(({ key }) => key)),
    ...holding.flatMap(({ slots }) => slots.limits),
    ...deps.ciSystems
      .flatMap((system) => warmPoolsOf(deps, system))
      .flatMap(({ limits }) => limits.map(({ key }) => key)),
    ...((await run.attempt('the limits of repositories', () => limitsInTurn(deps))) ?? []),
  ]);
  const held = new Map<string, HeldSlots>();
  for (const key of keys) {
    if (!run.mayBegin()) return;
    await run.attempt(`the slots of ${key}`, async () => {
      const slots = await deps.slots.get(key);
      held.set(key, slots);
      await freeStale(deps, key, slots);
    });
  }
  const lost = holding.filter(({ launchId, slots }) =>
    slots.limits.some((key) => held.get(key)?.has(holderOf(launchId, slots)) === false),
  );
  for (const { launchId, slots } of lost) {
    await run.attempt(`the slots of launch ${launchId}`, () => holdMissing(deps, launchId, slots.limits));
  }
  const list = async () => {
    const now = await deps.waiting.now();
    deps.waiting.hasChanged();
    return now;
  };
  await run.attempt('jobs that wait for slots', () => admitWaiting(deps, list, () => run.mayBegin()));
}

/**
 * Names the limits of all profiles, and those of one repository: each round takes the next one. A limit that nobody waits
 * for, and that no live launch holds, may still count a launch that is over.
 */
async function limitsInTurn({ profiles, agentLimits, ciSystems, jobs, nowEpochMs }: RoundDeps): Promise<string[]> {
  const now = nowEpochMs();
  const listed = agentLimits.length === 0 ? [] : ciSystems.filter(actsIn);
  const repositories = await Promise.all(
    listed.map(async ({ name: ciSystem }) =>
      (await jobs.listRepositories(ciSystem, now)).map(({ repository }) => ({ ciSystem, repository })),
    ),
  );
  const all = repositories.flat();
  const inTurn = all[Math.floor(now / roundMs) % all.length];
  const ofProfiles = profiles.flatMap((profile) => slotLimitsOf([], profile));
  const ofRepository = inTurn === undefined ? [] : slotLimitsOf(agentLimits, { name: '' }, inTurn);
  return [...ofProfiles, ...ofRepository].map(({ key }) => key);
}

/** Frees the slots of launches that are over, and of attempts that came to no launch. */
async function freeStale(deps: RoundDeps, key: string, held: HeldSlots): Promise<void> {
  const { records, unreadable } = await deps.launches.getMany([...held.values()].map(({ launchId }) => launchId));
  const isUnreadable = new Set(unreadable.map(({ launchId }) => launchId));
  for (const [holder, slot] of held) {
    if (isUnreadable.has(slot.launchId)) continue;
    const record = records.get(slot.launchId) ?? (await neverLaunched(deps, slot));
    if (record === undefined || (holds(record, holder) && !isOver(record))) continue;
    await deps.slots.free(key, holder);
    // A job that has begun to wait in between looked for a slot before.
    deps.waiting.hasChanged();
  }
}

function holds({ launchId, plan }: LaunchRecord, holder: string): boolean {
  return plan?.slots !== undefined && holderOf(launchId, plan.slots) === holder;
}

/**
 * Makes sure that an attempt that took a slot long ago comes to no launch: its launch's record is a tombstone. So nobody who
 * wakes up late can launch without the slot.
 *
 * @returns the record in effect; undefined for an attempt that may be under way
 */
async function neverLaunched(
  deps: ReconcileDeps,
  { launchId, takenAtEpochMs }: HeldSlot,
): Promise<LaunchRecord | undefined> {
  const now = deps.nowEpochMs();
  if (now - takenAtEpochMs < requestMs) return undefined;
  const buried = tombstone(launchId, {
    outcome: 'terminated',
    code: 'Terminated',
    message: 'the function that requested the launch died before it wrote its record',
    by: 'reconcile',
    actor: { kind: 'davit', name: 'reconcile/slots' },
    atEpochMs: now,
  });
  return (await deps.launches.request(buried)).record;
}

/** Puts back the slots of a launch that lost them, as a table does that was restored. */
async function holdMissing(deps: ReconcileDeps, launchId: string, limits: readonly string[]): Promise<void> {
  for (const key of limits) {
    const record = await deps.launches.get(launchId);
    const slots = record?.plan?.slots;
    if (record === undefined || slots === undefined || isOver(record)) return;
    const holder = holderOf(launchId, slots);
    if ((await deps.slots.get(key)).has(holder)) continue;
    const repository = record.plan?.job?.repository ?? '';
    await deps.slots.hold(key, holder, { launchId, repository, takenAtEpochMs: deps.nowEpochMs() });
    // It may have come to its end meanwhile, and have freed nothing.
    await releaseSlots(deps, launchId);
  }
}

/** A job that waits for a slot of the limit with the key `limitedBy`. */
type LimitedJob = Pick<JobRecord, 'ciSystem' | 'limitedBy' | 'queuedAtEpochMs'>;

/** Counts the jobs that wait for each limit, by their CI systems. A job whose time of queueing is unknown is new. */
export function countLimited(jobs: readonly LimitedJob[], nowEpochMs: number): NonNullable<ReconcileReport['limited']> {
  const counts = new Map<string, NonNullable<ReconcileReport['limited']>[number]>();
  for (const { ciSystem, limitedBy: limit, queuedAtEpochMs = nowEpochMs } of jobs) {
    if (limit === undefined) continue;
    const key = `${ciSystem} ${limit}`;
    const { jobs: before, oldestSeconds } = counts.get(key) ?? { jobs: 0, oldestSeconds: 0 };
    const ageSeconds = Math.max(0, Math.round((nowEpochMs - queuedAtEpochMs) / 1000));
    counts.set(key, { ciSystem, limit, jobs: before + 1, oldestSeconds: Math.max(oldestSeconds, ageSeconds) });
  }
  return [...counts.values()];
}

import { type WarmPause, warmPauseOf } from '../../core/agent/warm-pause.ts';
import { repositoryText, scopeText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Join } from '../../core/ci/join.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { warmLaunchId } from '../../core/launch/names.ts';
import { runnerPrefixOf } from '../../core/launch/runner-names.ts';
import { whyAllAway } from '../../logic/lifecycle/all-away.ts';
import { planWhereConnected } from '../../logic/lifecycle/plan-where-connected.ts';
import { requestLimited } from '../../logic/lifecycle/request-limited.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { WarmWish } from './warm-pools.ts';
import type { WarmView } from './warm-view.ts';

/** How many warm launches to read at a time, and how many of earlier rounds. */
const batchLaunches = 10;

/** Reconciling runs each minute: the first round after a failure tells people of the pause. */
const roundMs = 60_000;

/** The latest warm launches of a pool, by their own ids. */
export interface LatestWarm {
  /** The number of the next one. */
  next: number;
  /** Those that were requested since the last round, oldest first, and the latest ten before them. */
  records: LaunchRecord[];
}

/**
 * Finds the warm launches of a pool since the last round, by their numbers and not by the index, which may lack them. So
 * two rounds that both lack an agent request the same launch.
 *
 *     A   next 8 ──► request 8 ──► request 9 ──► keeps: next 10
 *     B   next 8 ───────────────────────────────────────────────► reads 8, 9 ──► next 10
 *     C   next 8 ──► request 8: there already
 *
 * @param nextWarm as the last round kept it. @default a number of its own for each day: the first look launches nothing
 */
export async function latestWarm(
  { launches, nowEpochMs }: Pick<ReconcileDeps, 'launches' | 'nowEpochMs'>,
  { name }: Pick<CiSystemConfig, 'name'>,
  poolKey: string,
  nextWarm = firstNumberOf(nowEpochMs()),
): Promise<LatestWarm> {
  const found: LaunchRecord[] = [];
  let next = nextWarm;
  for (let from = nextWarm - batchLaunches, isMore = true; isMore; from += batchLaunches) {
    const numbers = Array.from({ length: batchLaunches }, (_, index) => from + index);
    const ids = numbers.map((number) => warmLaunchId(name, poolKey, number));
    const { records, unreadable } = await launches.getMany(ids);
    const isUnreadable = new Set(unreadable.map(({ launchId }) => launchId));
    const taken = numbers.filter((_, index) => records.has(ids[index] ?? '') || isUnreadable.has(ids[index] ?? ''));
    next = Math.max(next, (taken.at(-1) ?? 0) + 1);
    isMore = next >= from + batchLaunches;
    found.push(...ids.flatMap((id) => records.get(id) ?? []));
  }
  return { next, records: found };
}

/** A pool has far fewer than 1,000 warm launches a day: a job's own launch takes the place of the agent that runs it. */
function firstNumberOf(nowEpochMs: number): number {
  return Math.floor(nowEpochMs / 86_400_000) * 1000;
}

/**
 * Requests the warm agents that a pool lacks, unless every cluster is away, jobs wait for their slots, or the latest ones
 * have ended without a job. Stops at the first that cannot be requested, so that the numbers have no gaps.
 *
 * @returns the number of the next warm launch
 */
export async function launchWarm(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { name: ciSystem }: Pick<CiSystemConfig, 'name'>,
  pool: WarmView,
  { next, records }: LatestWarm,
  count: number,
): Promise<number> {
  const now = deps.nowEpochMs();
  const pause = warmPauseOf(records, now);
  if (pause !== undefined && (now < pause.untilEpochMs || pause.isTried)) {
    if (now - pause.failedAtEpochMs < roundMs) tellPause(run, ciSystem, pause);
    return next;
  }
  const wishes = lacking(pool).slice(0, pause === undefined ? count : Math.min(count, 1));
  const [first] = wishes;
  if (first === undefined || !(await isPlaceThere(deps, run, first.join))) return next;
  let number = next;
  for (const wish of wishes) {
    if (!run.mayBegin()) break;
    const launchId = warmLaunchId(ciSystem, pool.key, number);
    const isThere = await run.attempt(`launch ${launchId}`, () => request(deps, wish, launchId));
    if (isThere !== true) break;
    number += 1;
    const reason = `profile ${wish.profile.name} keeps ${wish.target} idle agents`;
    run.repair({ ciSystem, repair: 'WarmRequested', subject: launchId, reason });
  }
  return number;
}

/**
 * Says whether the CI system shows the runners of a place. davit.yaml may have a name that nobody has, and a launch there
 * would have every later round ask for its jobs in vain.
 */
async function isPlaceThere(
  { ciSystemOf, installationId }: ReconcileDeps,
  run: ReconcileRun,
  { ciSystem, scope }: Join,
): Promise<boolean> {
  const runners = await run.attempt(`warm agents of ${scopeText(scope)}`, () =>
    ciSystemOf(ciSystem).findRunners(scope, runnerPrefixOf(installationId)),
  );
  return runners !== undefined;
}

/** Tells people, once for each failure, that a pool has fewer warm agents than davit.yaml wants. */
function tellPause(
  run: ReconcileRun,
  ciSystem: string,
  { failures, last, failedAtEpochMs, untilEpochMs }: WarmPause,
): void {
  const often = failures === 1 ? 'a warm agent has' : `${failures} times in a row, warm agents have`;
  const pauseSeconds = (untilEpochMs - failedAtEpochMs) / 1000;
  const reason = `${often} ended without a job; the pool gets none for ${pauseSeconds} s; at last: ${last.ending?.message}`;
  run.repair({ ciSystem, repair: 'WarmPaused', subject: last.launchId, reason });
}

/** Lists a wish for each warm agent that a profile lacks, and then for those that queued jobs are about to take. */
function lacking({ wishes, fresh }: WarmView): WarmWish[] {
  const able = wishes.filter(({ isYielding }) => !isYielding);
  const own = able.flatMap((wish) => {
    const idle = fresh.filter(({ plan }) => plan?.profile === wish.profile.name).length;
    return Array.from({ length: Math.max(0, wish.target - idle) }, () => wish);
  });
  return [...own, ...able.flatMap((wish) => Array.from({ length: wish.target }, () => wish))];
}

/** @returns whether the launch exists, requested by this round or another */
async function request(deps: ReconcileDeps, { profile, join, limits }: WarmWish, launchId: string): Promise<boolean> {
  if ((await whyAllAway(deps, profile)) !== undefined) return false;
  const plan = await planWhereConnected(deps, profile, { launchId, join });
  const repository = 'repository' in join.scope ? repositoryText(join.scope.repository) : '';
  const outcome = await requestLimited(deps, plan, { limits, repository });
  return outcome.is === 'requested';
}

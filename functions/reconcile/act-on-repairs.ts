import { atATime, writesAtATime } from '../../core/at-a-time.ts';
import { repositoryText } from '../../core/ci/ci-scope.ts';
import { repeatedAt } from '../../core/ci/failing-delivery.ts';
import type { Repair } from '../../core/events/repair-event.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { mergeJob } from '../../core/job/job-record.ts';
import { refusedJobOf } from '../../core/job/refused-job.ts';
import { isLive } from '../../core/launch/launch-record.ts';
import { bindJob, noteBound } from '../../logic/lifecycle/bind-job.ts';
import { planWhereConnected } from '../../logic/lifecycle/plan-where-connected.ts';
import { requestLimited } from '../../logic/lifecycle/request-limited.ts';
import { removeOrphans } from './orphans.ts';
import { isStillRetirable, type PlannedRetirement } from './plan-retirements.ts';
import { type PlannedRepair, reasonOf, subjectOf } from './planned-repair.ts';
import type { RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { requestLaunchOfJob } from './request-launch-of-job.ts';
import { rerunLost } from './rerun-lost.ts';
import { mayWrite } from './round-pace.ts';
import type { JobNews } from './round-view.ts';

const retirementRepairs: Readonly<Record<PlannedRetirement['kind'], Repair>> = {
  surplus: 'SurplusRetired',
  idle: 'IdleRetired',
  unfinished: 'RetirementRepeated',
  finished: 'CompletionMissed',
};

/** The repairs that are each about a job or a delivery of its own: those of one group are made several at a time. */
const together: Partial<Record<PlannedRepair['kind'], string>> = {
  note: 'note',
  refuse: 'refuse',
  forget: 'forget',
  launch: 'launch',
  leave: 'launch',
  track: 'track',
  redeliver: 'redeliver',
};

/** What was learnt is written even when there is no time for more. */
const always: ReadonlySet<PlannedRepair['kind']> = new Set(['note', 'refuse', 'track']);

/**
 * Carries out repairs in their order, as far as there is time. One that fails is reported, and the others go on.
 *
 * @returns the repairs after which what they wanted is so
 */
export async function actOnRepairs(
  deps: RoundDeps,
  run: ReconcileRun,
  ciSystem: string,
  repairs: readonly PlannedRepair[],
): Promise<ReadonlySet<PlannedRepair>> {
  const done = new Set<PlannedRepair>();
  const stopped = new Set<string>();
  const actOn = async (repair: PlannedRepair) => {
    if (repair.kind === 'warm' && stopped.has(repair.pool)) return;
    if (!always.has(repair.kind) && !run.mayBegin()) return;
    const isDone = await run.attempt(subjectOf(repair), () => act(deps, run, ciSystem, repair));
    if (isDone === true) done.add(repair);
    else if (repair.kind === 'warm') stopped.add(repair.pool);
  };
  for (const some of inBatches(repairs)) await atATime(writesAtATime, some, actOn);
  return done;
}

/** Splits repairs into those that are made together, a few at a time, and single ones. */
function inBatches(repairs: readonly PlannedRepair[]): PlannedRepair[][] {
  const batches: PlannedRepair[][] = [];
  let before: string | undefined;
  for (const repair of repairs) {
    const group = together[repair.kind];
    if (group === undefined || group !== before) batches.push([]);
    batches.at(-1)?.push(repair);
    before = group;
  }
  return batches;
}

/** @returns whether what the repair wants is so now */
async function act(deps: RoundDeps, run: ReconcileRun, ciSystem: string, repair: PlannedRepair): Promise<boolean> {
  switch (repair.kind) {
    case 'note':
      return note(deps, run, repair.news);
    case 'refuse': {
      const { job, match } = repair;
      await deps.jobs.noteNotLaunched(job, match.reason);
      const refused = refusedJobOf(job, match, deps.nowEpochMs());
      if (refused !== undefined) run.refuse(refused);
      return true;
    }
    case 'forget': {
      const { job, reason } = repair;
      await deps.jobs.noteLimited(job, job.launches, undefined, reason);
      deps.waiting.hasChanged();
      run.repair({ ciSystem, repair: 'CompletionMissed', subject: jobKeyOf(job), reason });
      return true;
    }
    case 'leave': {
      const { job, reason, finish } = repair;
      if (reason !== job.notLaunched) await deps.jobs.noteNotLaunched(job, reason);
      // A poll then sees that the job is over.
      if (finish !== undefined) await deps.ciSystemOf(ciSystem).pinned?.finish?.(finish, `davit: ${reason}`);
      return true;
    }
    case 'launch':
      return requestLaunchOfJob(deps, run, repair);
    case 'summon':
      return deps.registrations.summon(repair.launch.launchId, jobKeyOf(repair.job), deps.nowEpochMs());
    case 'warm':
      return requestWarm(deps, run, ciSystem, repair);
    case 'pause': {
      const { pause } = repair;
      run.repair({ ciSystem, repair: 'WarmPaused', subject: pause.last.launchId, reason: reasonOf(repair) });
      return true;
    }
    case 'retire':
      return retire(deps, run, ciSystem, repair.retirement);
    case 'lose':
      await deps.lost.note(repair.lost);
      return true;
    case 'rerun':
      if (!(await mayWrite(deps, run, ciSystem))) return false;
      await rerunLost(deps, run, repair.lost);
      return true;
    case 'report':
      await deps.invokeLater('report-to-ci', repair.report);
      return true;
    case 'unregister':
      await removeOrphans(deps, run, ciSystem, repair.runners);
      return true;
    case 'track':
      await deps.failingDeliveries.keep(ciSystem, repair.delivery, deps.nowEpochMs());
      return true;
    case 'redeliver': {
      const { id, guid } = repair.delivery;
      const now = deps.nowEpochMs();
      await deps.failingDeliveries.keep(ciSystem, repeatedAt(repair.delivery, now), now);
      await deps.ciSystemOf(ciSystem).redeliver(id);
      run.repair({ ciSystem, repair: 'WebhookRedelivered', subject: guid, reason: reasonOf(repair) });
      return true;
    }
  }
}

/** Notes a job and binds it. One whose end frees its place among those that wait for slots is a repair. */
async function note(deps: RoundDeps, run: ReconcileRun, { seen, before }: JobNews): Promise<boolean> {
  const isKnown = before !== undefined && mergeJob(before, seen, deps.nowEpochMs()) === before;
  const record = isKnown ? before : (await noteBound(deps, before, seen)).record;
  if (record.ranBy === undefined) await bindJob(deps, record);
  if (record.status === 'completed' && before?.limitedBy !== undefined) {
    const reason = 'its CI system says that it is over';
    deps.waiting.hasChanged();
    run.repair({ ciSystem: seen.ciSystem, repair: 'CompletionMissed', subject: jobKeyOf(seen), reason });
  }
  return true;
}

/** Requests a warm agent. @returns whether its launch exists, requested by this round or another */
async function requestWarm(
  deps: RoundDeps,
  run: ReconcileRun,
  ciSystem: string,
  repair: Extract<PlannedRepair, { kind: 'warm' }>,
): Promise<boolean> {
  const { profile, join, limits } = repair.wish;
  const { launchId } = repair;
  if ((await deps.whyAway(profile)) !== undefined) return false;
  const plan = await planWhereConnected(deps, profile, { launchId, join });
  const repository = 'repository' in join.scope ? repositoryText(join.scope.repository) : '';
  const outcome = await requestLimited(deps, plan, { limits, repository });
  if (outcome.is !== 'requested') return false;
  run.repair({ ciSystem, repair: 'WarmRequested', subject: launchId, reason: reasonOf(repair) });
  return true;
}

/** Requests a retirement, after one more look at the launch. The retirement itself asks the CI system. */
async function retire(
  deps: RoundDeps,
  run: ReconcileRun,
  ciSystem: string,
  planned: PlannedRetirement,
): Promise<boolean> {
  const { launch, kind, reason } = planned;
  const { launchId } = launch;
  const record = await deps.launches.get(launchId);
  if (record === undefined || !isLive(record) || !isStillRetirable(record, planned)) return false;
  const finished = kind === 'finished' && record.runs !== undefined ? { finishedJobKey: record.runs.jobKey } : {};
  const actor = { kind: 'davit', name: `reconcile/${kind}` } as const;
  await deps.invokeLater('retire-runner', { launchId, reason, by: 'reconcile', actor, ...finished });
  run.repair({ ciSystem, repair: retirementRepairs[kind], subject: launchId, reason });
  return true;
}

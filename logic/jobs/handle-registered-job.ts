import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { isPinned } from '../../core/ci/ci-systems.ts';
import { joinOf } from '../../core/ci/join-of.ts';
import { jobEnding } from '../../core/job/job-ending.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { launchRequestOf } from '../../core/job/job-launch.ts';
import type { JobRecord, SeenJob } from '../../core/job/job-record.ts';
import { matchProfile, type ProfileMatch } from '../../core/job/match-profile.ts';
import { ciLaunchId } from '../../core/launch/names.ts';
import { slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { bindJob, type NotedJob, noteBound } from '../lifecycle/bind-job.ts';
import { endLaunch } from '../lifecycle/end-launch.ts';
import { planWhereConnected } from '../lifecycle/plan-where-connected.ts';
import { requestLaunch } from '../lifecycle/request-launch.ts';
import { summonAgent } from '../lifecycle/summon-agent.ts';
import { handleCompleted, handleQueued } from './handle-job.ts';
import { handleLimited } from './handle-limited.ts';
import { handleRefused } from './handle-refused.ts';
import type { JobDeps } from './job-deps.ts';
import type { JobOutcome } from './job-outcome.ts';

/** The maximum age of a new queued job for which davit launches at once, in milliseconds, by its CI system's clock. */
const freshMs = 60_000;

/** A job as the event describes it, and the profile that takes it. */
interface MatchedJob {
  system: CiSystemConfig;
  seen: SeenJob;
  match: ProfileMatch;
}

/**
 * Handles an event of a CI system in which davit acts. Any agent of a pool may run a job. So a queued job asks for one
 * more agent, and summons one that stands by; and a completed job ends only the launch whose agent ran it. Events may come
 * twice, late, in any order, or never: reconciling finds missing and surplus agents.
 *
 * @param receivedAtEpochMs when davit learned of the event. For a job that a poll has listed, which waits at that moment
 *   however old it is: when it was queued. @default now
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function handleRegisteredJob(
  deps: JobDeps,
  system: CiSystemConfig,
  seen: SeenJob,
  receivedAtEpochMs = deps.nowEpochMs(),
): Promise<JobOutcome> {
  const isLateNews = (await isLate(deps, seen, receivedAtEpochMs)) && (await deps.jobs.get(seen)) === undefined;
  const known = seen.runner && (await deps.jobs.get(seen));
  const noted = await noteBound(deps, known, seen);
  const { record } = noted;
  const matched = { system, seen, match: matchProfile(deps.profiles, system, seen) };
  await noteOwnRepository(deps, matched);
  switch (seen.status) {
    case 'waiting':
      return { ignored: 'the job waits for another job, or for an approval' };
    case 'queued':
      return isLateNews ? leftToReconcile(deps, record) : handleDemand(deps, matched, record);
    case 'in_progress':
      return handleRunning(deps, noted);
    case 'completed':
      return handleOver(deps, matched, noted);
  }
}

/** Asks for the CI system's clock only when the two clocks, or the event, are more than `freshMs` off. */
async function isLate(
  { ciClocks }: Pick<JobDeps, 'ciClocks'>,
  { ciSystem, status, queuedAtEpochMs }: SeenJob,
  receivedAtEpochMs: number,
): Promise<boolean> {
  if (status !== 'queued' || queuedAtEpochMs === undefined) return false;
  const ageMs = receivedAtEpochMs - queuedAtEpochMs;
  if (Math.abs(ageMs) <= freshMs) return false;
  return ageMs + ((await ciClocks.get(ciSystem)) ?? 0) > freshMs;
}

/**
 * Remembers the repository of a job that agents of davit can run. Reconciling asks for each known repository every minute,
 * and an organization may have hundreds in which only other runners work.
 */
async function noteOwnRepository(
  deps: JobDeps,
  { system, seen: { repository, organization }, match }: MatchedJob,
): Promise<void> {
  if (match.refusal === 'NoProfile') return;
  const known = { repository, ...(organization === undefined ? {} : { organization }) };
  await deps.jobs.noteRepository(system.name, known, deps.nowEpochMs());
}

/**
 * The job of a late queued event may be over already. Only the CI system's list shows that, and this function may not
 * read it.
 */
async function leftToReconcile(deps: JobDeps, record: JobRecord): Promise<JobOutcome> {
  const reason = 'the event came late: the next reconcile asks whether the job still waits';
  await deps.jobs.noteNotLaunched(record, reason);
  return { ignored: reason };
}

async function handleDemand(
  deps: JobDeps,
  { system, seen, match }: MatchedJob,
  record: JobRecord,
): Promise<JobOutcome> {
  if (record.status !== 'queued') return { ignored: `the job is ${record.status} already` };
  const { profile, size } = match;
  if (profile === undefined) {
    const outcome = await handleRefused(deps, record, match);
    await deps.jobs.noteNotLaunched(record, match.reason);
    return outcome;
  }
  const join = joinOf(system, profile, record, size);
  if (join === undefined) return handleQueued(deps, system, seen);
  // A repeated event finds the job counted, or waiting for a slot: its agent was summoned then.
  const isNew = record.launches === 0 && record.limitedBy === undefined;
  const limits = slotLimitsOf(deps.agentLimits, profile, record);
  const launchId = ciLaunchId(seen);
  if (limits.length === 0 && !(await deps.jobs.claimLaunch(record, 0, launchId, deps.nowEpochMs()))) {
    return { ignored: `${record.launches} launches were already requested for the job` };
  }
  const summoned = isNew ? await summonAgent(deps, join, jobKeyOf(record)) : undefined;
  if (limits.length > 0) return handleLimited(deps, record, limits);
  const traceHeader = deps.traceHeader?.();
  const request = { ...launchRequestOf(record, launchId, { size, join }), summoned, traceHeader };
  return { requested: await requestLaunch(deps, await planWhereConnected(deps, profile, request)) };
}

async function handleRunning(deps: JobDeps, noted: NotedJob): Promise<JobOutcome> {
  const launch = noted.launch ?? (await bindJob(deps, noted.record));
  return launch === undefined ? { ignored: 'the job runs on no agent of this davit' } : { runs: launch };
}

async function handleOver(
  deps: JobDeps,
  matched: MatchedJob,
  { record, launch: bound }: NotedJob,
): Promise<JobOutcome> {
  const launch = bound ?? (await bindJob(deps, record));
  if (launch === undefined) return handleUnbound(deps, matched, record);
  const ending = jobEnding(matched.system.name, record.conclusion, deps.nowEpochMs());
  const ended = await endLaunch(deps, launch.launchId, ending);
  return ended === undefined ? { ignored: 'the launch of the agent is forgotten' } : { ended };
}

/** An agent that davit does not register, or whose job davit chose, runs only its own launch's job. */
async function handleUnbound(
  deps: JobDeps,
  { system, seen, match: { profile } }: MatchedJob,
  record: JobRecord,
): Promise<JobOutcome> {
  if (isPinned(system)) return endPinned(deps, system, record);
  const isOwn = profile !== undefined && joinOf(system, profile, record) === undefined;
  return isOwn ? handleCompleted(deps, system, seen) : { ignored: 'the job ran on no agent of this davit' };
}

/** Ends the launch for a job that is over, whose agent has not connected. One that has is retired, or has its job bound. */
async function endPinned(deps: JobDeps, system: CiSystemConfig, record: JobRecord): Promise<JobOutcome> {
  if (record.lastLaunch === undefined) return { ignored: 'there is no launch' };
  const ending = jobEnding(system.name, record.conclusion, deps.nowEpochMs());
  const ended = await endLaunch(deps, record.lastLaunch.launchId, ending, { unlessConnected: true });
  return ended === undefined ? { ignored: 'there is no launch' } : { ended };
}

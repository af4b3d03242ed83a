import type { AgentSize } from '../../core/agent/agent-size.ts';
import { repositoryText } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { joinOf } from '../../core/ci/join-of.ts';
import type { Profile } from '../../core/config/config.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { launchRequestOf } from '../../core/job/job-launch.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { matchProfile } from '../../core/job/match-profile.ts';
import { isOver } from '../../core/launch/launch-record.ts';
import { ciLaunchId, mostReplacements } from '../../core/launch/names.ts';
import { AdmissionOrder, type Candidate } from '../../core/limits/admission-order.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import { limitWords, type SlotLimit, slotLimitsOf } from '../../core/limits/slot-limits.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { HeldSlots, Slots } from '../../ports/slots.ts';
import { whyAllAway } from './all-away.ts';
import { planWhereConnected } from './plan-where-connected.ts';
import { type RequestLimitedDeps, requestLimited } from './request-limited.ts';

/** The dependencies of admitting jobs that wait for slots. */
export interface AdmitDeps extends RequestLimitedDeps {
  ciSystems: readonly CiSystemConfig[];
  profiles: readonly Profile[];
  agentLimits: readonly AgentLimit[];
  jobs: Pick<Jobs, 'listLimited' | 'getMany' | 'claimLaunch' | 'noteLimited' | 'noteNotLaunched'>;
}

/** A job that waits for slots, and what its launch would be. */
export interface WaitingForSlot extends Candidate {
  job: JobRecord;
  profile: Profile;
  size: AgentSize | undefined;
  system: CiSystemConfig;
}

/**
 * Launches for jobs that wait for slots, in the order of `AdmissionOrder`, as long as there is room. The lists that it
 * reads may be out of date, so they decide only the order. The write that takes a slot decides whether there is room.
 * So any number of runs at once is safe.
 *
 * @param list lists the jobs that wait for slots, as `listWaitingForSlots` does
 * @param mayBegin whether there is time for one more
 * @throws TransientError when a service did not answer; the next agent's end, or the next reconcile, continues
 */
export async function admitWaiting(
  deps: AdmitDeps,
  list: () => Promise<readonly WaitingForSlot[]>,
  mayBegin: () => boolean,
): Promise<void> {
  // While this run held a slot that it then gave back, another one may have found no room, and looks no more.
  while (await admitListed(deps, await list(), mayBegin));
}

/** @returns whether it has given slots back, and has time to look again */
async function admitListed(
  deps: AdmitDeps,
  waiting: readonly WaitingForSlot[],
  mayBegin: () => boolean,
): Promise<boolean> {
  const held = await readHeld(deps, waiting);
  const order = new AdmissionOrder(waiting, held);
  let hasGivenBack = false;
  // Each round settles a job or learns that a limit is reached. If others free slots meanwhile, they admit the waiting
  // jobs themselves.
  for (let rounds = waiting.length + held.size; rounds > 0 && mayBegin(); rounds -= 1) {
    const next = order.next();
    if (next === undefined) break;
    const outcome = await admit(deps, next);
    if (outcome.is === 'refused') order.see(outcome.by, repositoriesOf(await deps.slots.get(outcome.by)));
    else order.settle(next, outcome.is === 'admitted');
    hasGivenBack ||= outcome.is === 'outrun';
  }
  return hasGivenBack && mayBegin();
}

/**
 * Launches for one job if there is room for it and for all that come before it: their own events launch for these. If every
 * event of a burst began with the first job, each would hold a slot for it.
 *
 * @returns false if the job's turn has not come, or if another run has launched for it: then others may have their turn
 */
export async function admitInTurn(
  deps: AdmitDeps,
  waiting: readonly WaitingForSlot[],
  jobKey: string,
): Promise<boolean> {
  const order = new AdmissionOrder(waiting, await readHeld(deps, waiting));
  for (let next = order.next(); next !== undefined; next = order.next()) {
    if (next.jobKey === jobKey) return (await admit(deps, next)).is !== 'outrun';
    order.settle(next, true);
  }
  return false;
}

/**
 * Lists the jobs that wait for slots, by their records.
 *
 * @param newest a job that has just begun to wait: the index may not have it yet
 * @throws TransientError StoreUnavailable
 */
export async function listWaitingForSlots(
  deps: Pick<AdmitDeps, 'ciSystems' | 'profiles' | 'agentLimits'> & { jobs: Pick<Jobs, 'listLimited' | 'getMany'> },
  newest?: JobRecord,
): Promise<WaitingForSlot[]> {
  const lists = deps.ciSystems.map(async (system) => {
    const listed = (await deps.jobs.listLimited(system.name)).map(({ jobKey }) => jobKey);
    const keys = newest?.ciSystem === system.name ? [...listed, jobKeyOf(newest)] : listed;
    const records = keys.length === 0 ? [] : await deps.jobs.getMany(keys);
    return records.flatMap((job) => waitingForSlot(deps, system, job) ?? []);
  });
  return (await Promise.all(lists)).flat();
}

function waitingForSlot(
  { profiles, agentLimits }: Pick<AdmitDeps, 'profiles' | 'agentLimits'>,
  system: CiSystemConfig,
  job: JobRecord,
): WaitingForSlot | undefined {
  if (job.status !== 'queued' || job.limitedBy === undefined) return undefined;
  const { profile, size } = matchProfile(profiles, system, job);
  if (profile === undefined) return undefined;
  return {
    job,
    jobKey: jobKeyOf(job),
    repository: repositoryText(job.repository),
    priority: profile.priority ?? 0,
    queuedAtEpochMs: job.queuedAtEpochMs ?? Number.MAX_SAFE_INTEGER,
    limits: slotLimitsOf(agentLimits, profile, job),
    profile,
    size,
    system,
  };
}

/** Reads which repositories hold the slots of the limits that jobs wait for. @throws TransientError StoreUnavailable */
export async function readHeld(
  { slots }: { slots: Pick<Slots, 'get'> },
  waiting: readonly Candidate[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = [...new Set(waiting.flatMap(({ limits }) => limits.map(({ key }) => key)))];
  return new Map(await Promise.all(keys.map(async (key) => [key, repositoriesOf(await slots.get(key))] as const)));
}

function repositoriesOf(held: HeldSlots): string[] {
  return [...held.values()].map(({ repository }) => repository);
}

/** `outrun`: another run has launched for the job. */
type Admission = { is: 'admitted' | 'passed' | 'outrun' } | { is: 'refused'; by: string };

async function admit(deps: AdmitDeps, waiting: WaitingForSlot): Promise<Admission> {
  const { job, profile, size, system, limits } = waiting;
  const { launches, limitedBy = '' } = job;
  const join = joinOf(system, profile, job, size);
  const away = await whyAllAway(deps, profile);
  if (away !== undefined) {
    // Once a cluster is connected, reconciling lets the job wait for a slot again. Reconciling knows only jobs whose
    // agents davit registers, so any other job keeps waiting.
    if (join !== undefined) await deps.jobs.noteNotLaunched(job, away);
    else await deps.jobs.noteLimited(job, launches, limitedBy, away);
    return { is: 'passed' };
  }
  if (launches > mostReplacements) return { is: 'passed' };
  const launchId = ciLaunchId(job, launches);
  const request = launchRequestOf(job, launchId, { size, join });
  const plan = await planWhereConnected(deps, profile, request);
  const claim = () => deps.jobs.claimLaunch(job, launches, launchId, deps.nowEpochMs());
  // If davit registers the agent, it claims the job before the launch: reconciling repairs a claimed job without a
  // launch. It claims any other job after the launch: if this function dies in between, the job still waits, and its
  // launch still has the same id.
  const outcome = await requestLimited(deps, plan, {
    limits,
    repository: repositoryText(job.repository),
    ...(join === undefined ? {} : { claim }),
  });
  if (outcome.is === 'refused') return { is: 'refused', by: outcome.by.key };
  const isClaimed = outcome.is === 'requested' && (join !== undefined || (await claim()));
  if (isClaimed && isOver(outcome.requested.record)) {
    await waitOn(deps, job, limits);
    // The slot is free again. Nobody else would give it to this job before the next reconcile.
    return admit(deps, { ...waiting, job: { ...job, launches: launches + 1 } });
  }
  return { is: isClaimed ? 'admitted' : 'outrun' };
}

/**
 * Lets a job wait again after its launch was over before it began, because davit took its slot back. The next launch
 * has another id.
 */
async function waitOn({ jobs }: AdmitDeps, job: JobRecord, limits: readonly SlotLimit[]): Promise<void> {
  const [limit] = limits;
  if (limit !== undefined) await jobs.noteLimited(job, job.launches + 1, limit.key, 'its launch was never started');
}

/** Finds the limit that keeps a job waiting, and says so in words. */
export async function whyLimited(
  { slots }: Pick<AdmitDeps, 'slots'>,
  limits: readonly SlotLimit[],
): Promise<{ key: string; reason: string; isFull: boolean } | undefined> {
  for (const limit of limits) {
    const held = await slots.get(limit.key);
    if (held.size >= limit.maxAgents) return { key: limit.key, reason: limitWords(limit, held.size), isFull: true };
  }
  const [limit] = limits;
  return limit && { key: limit.key, reason: `the next of ${limit.maxAgents} agents of ${limit.of}`, isFull: false };
}

import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { admitInTurn, admitWaiting, listWaitingForSlots, whyLimited } from '../lifecycle/admit-waiting.ts';
import { type RequestedLaunch, requestLaunch } from '../lifecycle/request-launch.ts';
import type { JobDeps } from './job-deps.ts';
import type { JobOutcome } from './job-outcome.ts';

/** How long one event admits jobs, in milliseconds: its sender may wait for the answer. */
const admittingMs = 2000;
/** A pass may find a slot taken that another event gives back. */
const mostPasses = 2;

/**
 * Launches an agent for a queued job under limits, if it is its turn. First writes that the job waits, and then looks
 * whether there is room. So if another launch frees a slot in between, the job gets it.
 *
 * @param record of a queued job
 * @returns its launch, or why it waits
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function handleLimited(
  deps: JobDeps,
  record: JobRecord,
  limits: readonly SlotLimit[],
): Promise<JobOutcome> {
  const known = await launchOf(deps, record);
  if (known !== undefined) return { requested: known };
  const [narrowest] = limits;
  await deps.jobs.noteLimited(record, record.launches, narrowest?.key ?? '', 'its turn has not come yet');
  const endsAtEpochMs = deps.nowEpochMs() + admittingMs;
  const mayBegin = () => deps.nowEpochMs() < endsAtEpochMs;
  const list = () => listWaitingForSlots(deps, record);
  let why = await whyLimited(deps, limits);
  for (let passes = 0; passes < mostPasses && why?.isFull === false; passes += 1) {
    if (!(await admitInTurn(deps, await list(), jobKeyOf(record)))) await admitWaiting(deps, list, mayBegin);
    const now = await deps.jobs.get(record);
    const launched = now && (await launchOf(deps, now));
    if (launched !== undefined) return { requested: { ...launched, duplicate: false } };
    why = await whyLimited(deps, limits);
  }
  if (why !== undefined) await deps.jobs.noteLimited(record, record.launches, why.key, why.reason);
  return { ignored: `the job waits for its turn: ${why?.reason ?? 'another one came first'}` };
}

/**
 * Finds the job's latest launch, and starts it again: the function that requested it may have died before the start.
 */
async function launchOf(deps: JobDeps, { lastLaunch }: JobRecord): Promise<RequestedLaunch | undefined> {
  const record = lastLaunch && (await deps.launches.get(lastLaunch.launchId));
  if (record?.plan === undefined) return record && { record, duplicate: true };
  return requestLaunch(deps, record.plan);
}

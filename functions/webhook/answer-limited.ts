import type { JobRecord } from '../../core/job/job-record.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { type AdmitDeps, admitWaiting, listWaitingForSlots, whyLimited } from '../../logic/lifecycle/admit-waiting.ts';
import { type RequestedLaunch, requestLaunch } from '../../logic/lifecycle/request-launch.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { HttpAnswer } from '../../runtime/http/answer.ts';
import { launchAnswer } from '../../runtime/http/launch-answer.ts';
import { ignored } from './ignored.ts';

/** The dependencies of answering a queued job under limits. */
export interface LimitedJobDeps extends AdmitDeps {
  jobs: AdmitDeps['jobs'] & Pick<Jobs, 'get'>;
}

/** How long the answer to one event admits jobs, in milliseconds: the sender waits for it. */
const admittingMs = 2000;

/**
 * Launches an agent for a queued job under limits, if it is its turn. First writes that the job waits, and then looks
 * whether there is room. So if another launch frees a slot in between, the job gets it.
 *
 * @param record of a queued job
 * @returns 202 for its launch, 200 while it waits
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function answerLimited(
  deps: LimitedJobDeps,
  record: JobRecord,
  limits: readonly SlotLimit[],
): Promise<HttpAnswer> {
  const known = await launchOf(deps, record);
  if (known !== undefined) return launchAnswer(known);
  const [narrowest] = limits;
  await deps.jobs.noteLimited(record, record.launches, narrowest?.key ?? '', 'its turn has not come yet');
  if (!(await isFull(deps, limits))) {
    const endsAtEpochMs = deps.nowEpochMs() + admittingMs;
    await admitWaiting(deps, await listWaitingForSlots(deps, record), () => deps.nowEpochMs() < endsAtEpochMs);
  }
  const now = await deps.jobs.get(record);
  const launched = now && (await launchOf(deps, now));
  if (launched !== undefined) return launchAnswer({ ...launched, duplicate: false });
  const why = await whyLimited(deps, limits);
  if (why !== undefined) await deps.jobs.noteLimited(record, record.launches, why.key, why.reason);
  return ignored(`the job waits for its turn: ${why?.reason ?? 'another one came first'}`);
}

async function isFull(deps: LimitedJobDeps, limits: readonly SlotLimit[]): Promise<boolean> {
  return (await whyLimited(deps, limits))?.isFull === true;
}

/**
 * Finds the job's latest launch, and starts it again: the function that requested it may have died before the start.
 */
async function launchOf(deps: LimitedJobDeps, { lastLaunch }: JobRecord): Promise<RequestedLaunch | undefined> {
  const record = lastLaunch && (await deps.launches.get(lastLaunch.launchId));
  if (record?.plan === undefined) return record && { record, duplicate: true };
  return requestLaunch(deps, record.plan);
}

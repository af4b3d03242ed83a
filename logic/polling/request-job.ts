import { atATime } from '../../core/at-a-time.ts';
import { everyOwner } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { isWaiting, type JobRecord, type ReadJob } from '../../core/job/job-record.ts';
import { seenJobOf } from '../../core/job/seen-job.ts';
import { handleRegisteredJob } from '../jobs/handle-registered-job.ts';
import { byKey, type Poll } from './poll.ts';
import type { PollDeps } from './poll-deps.ts';

/** How many new jobs one poll handles at a time. */
const requestsAtATime = 10;

/**
 * Asks for an agent for a job that a poll has listed.
 *
 * @returns the job as the next poll follows it; undefined for one with more labels than davit stores
 * @throws TransientError when a table did not answer; the next poll asks again
 */
export async function requestJob(
  deps: PollDeps,
  system: CiSystemConfig,
  listed: ReadJob,
): Promise<OpenJob | undefined> {
  const { job } = seenJobOf(system, { ...listed, status: 'queued', organization: everyOwner });
  if (job === undefined) return undefined;
  // A listed job waits now, however long ago it was queued: its event is never late. One that runs already asks, too.
  await handleRegisteredJob(deps, system, job, job.queuedAtEpochMs);
  return { jobKey: jobKeyOf(job) };
}

/**
 * Asks for agents for jobs that are new in the queue. Nothing is stored of a job with more labels than davit stores, so only
 * the poll's error tells of it. It stays open, or each poll would take it for new.
 */
export async function requestNew(
  deps: PollDeps,
  system: CiSystemConfig,
  poll: Poll,
  jobs: readonly (readonly [jobKey: string, job: ReadJob])[],
): Promise<void> {
  await atATime(requestsAtATime, jobs, ([jobKey, job]) =>
    poll.attempt(`job ${jobKey}`, undefined, async () => {
      const requested = await requestJob(deps, system, job);
      if (requested !== undefined) return requested;
      poll.errors.push(`job ${jobKey}: ${seenJobOf(system, job).reason}`);
      return { jobKey };
    }),
  );
}

/**
 * Joins the jobs that a poll goes on with. Leaves out a queued one for which davit has neither requested an agent nor noted
 * why not: reconciling saw it first, or a poll died in between. So it is new.
 *
 * @param open those of the cursor
 * @param recorded those of the records
 * @param queued what the CI system has listed, by the same keys
 * @returns them by their keys
 * @throws TransientError StoreUnavailable; the next poll asks again
 */
export async function knownOf(
  { jobs }: Pick<PollDeps, 'jobs'>,
  open: readonly OpenJob[],
  recorded: readonly OpenJob[],
  queued: ReadonlyMap<string, unknown>,
): Promise<Map<string, OpenJob>> {
  const inCursor = byKey(open);
  const others = recorded.map((job): OpenJob => (inCursor.has(job.jobKey) ? job : { ...job, isUnchecked: true }));
  const known = byKey([...open, ...others]);
  const unchecked = [...known.values()].filter(({ jobKey, isUnchecked }) => isUnchecked && queued.has(jobKey));
  const records = unchecked.length === 0 ? [] : await jobs.getMany(unchecked.map(({ jobKey }) => jobKey));
  for (const record of records) {
    const jobKey = jobKeyOf(record);
    const { isUnchecked: _checked, ...job } = known.get(jobKey) ?? { jobKey };
    if (isUnasked(record)) known.delete(jobKey);
    else known.set(jobKey, job);
  }
  return known;
}

function isUnasked(record: JobRecord): boolean {
  const { launches, notLaunched, limitedBy } = record;
  return isWaiting(record) && launches === 0 && notLaunched === undefined && limitedBy === undefined;
}

/** The key of a job that a poll has listed. */
export function keyOf({ name: ciSystem }: CiSystemConfig, job: ReadJob): string {
  return jobKeyOf({ ...job, ciSystem });
}

import { createHash } from 'node:crypto';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import { jobKeyOf, ownIdIn } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import type { JobLease, JobNote, PinnedJobs } from '../../ports/ci-system.ts';
import type { Poll } from './poll.ts';
import type { PollDeps } from './poll-deps.ts';

/** How often davit looks at the launch of a job that waits, in milliseconds. */
const checkMs = 15_000;

/**
 * Holds the jobs whose agents come up, extending each reservation at its half-life, and shows on their pages why they
 * wait. A job without a live launch is not held: when its reservation ends, the system gives it to anybody. A failure
 * changes nothing, and the next poll tries again.
 *
 * @param queued the keys of the jobs that the system lists in its queue: nobody holds those now
 * @returns the open jobs, with what davit holds
 */
export async function holdJobs(
  deps: PollDeps,
  pinned: PinnedJobs,
  poll: Poll,
  queued: ReadonlySet<string>,
): Promise<OpenJob[]> {
  const { lease: reserving } = pinned;
  if (reserving === undefined && pinned.notify === undefined) return poll.open;
  const now = deps.nowEpochMs();
  const due = poll.open.filter(({ runner, lease }) => {
    return runner === undefined && (lease === undefined || now - lease.checkedAtEpochMs >= checkMs);
  });
  if (due.length === 0) return poll.open;
  const after = new Map<string, OpenJob>();
  await poll.attempt('the jobs that davit holds', undefined, async () => {
    const records = await deps.jobs.getMany(due.map(({ jobKey }) => jobKey));
    const found = await deps.launches.getMany(records.flatMap(({ lastLaunch }) => lastLaunch?.launchId ?? []));
    const launchOf = ({ lastLaunch }: JobRecord) => found.records.get(lastLaunch?.launchId ?? '');
    const byKey = new Map(records.map((record) => [jobKeyOf(record), record]));
    const seen = due.map((job) => {
      const record = byKey.get(job.jobKey);
      const launch = record && launchOf(record);
      const isNeeded = isLive(launch) && launch?.retiring === undefined && launch?.runs === undefined;
      return { job, isNeeded, words: record && wordsOf(record, launch) };
    });
    const expiring = seen.filter(
      ({ job, isNeeded }) => isNeeded && reserving !== undefined && isExpiring(job, queued, reserving, now),
    );
    if (expiring.length > 0) await reserving?.reserve(expiring.map(({ job }) => ownIdIn(job.jobKey)));
    const notes = seen.flatMap(({ job, words }): JobNote[] => {
      if (words === undefined || job.lease?.told === hashOf(words)) return [];
      return [{ jobId: ownIdIn(job.jobKey), detail: words }];
    });
    if (notes.length > 0) await pinned.notify?.(notes);
    const isExtended = new Set(expiring.map(({ job }) => job));
    for (const { job, isNeeded, words } of seen) {
      const reservedAtEpochMs = isExtended.has(job) ? now : job.lease?.reservedAtEpochMs;
      const told = words === undefined ? job.lease?.told : hashOf(words);
      after.set(job.jobKey, {
        ...job,
        lease: {
          checkedAtEpochMs: now,
          ...(isNeeded && reservedAtEpochMs !== undefined ? { reservedAtEpochMs } : {}),
          ...(told === undefined ? {} : { told }),
        },
      });
    }
    return undefined;
  });
  return poll.open.map((job) => after.get(job.jobKey) ?? job);
}

function isExpiring(
  { jobKey, lease }: OpenJob,
  queued: ReadonlySet<string>,
  { reservationMs }: JobLease,
  now: number,
): boolean {
  const { reservedAtEpochMs } = lease ?? {};
  return reservedAtEpochMs === undefined || queued.has(jobKey) || now - reservedAtEpochMs >= reservationMs / 2;
}

/** Says why a job waits. @returns undefined when nothing is known but that its agent comes up */
function wordsOf({ notLaunched, limitedBy }: JobRecord, launch: LaunchRecord | undefined): string | undefined {
  if (isLive(launch)) return launch?.signal === undefined ? undefined : `davit: ${launch.signal.detail}`;
  if (launch?.ending?.outcome === 'failed') return `davit: ${launch.ending.message}`;
  return notLaunched !== undefined && limitedBy !== undefined ? `davit: ${notLaunched}` : undefined;
}

function hashOf(words: string): string {
  return createHash('sha256').update(words).digest('hex').slice(0, 8);
}

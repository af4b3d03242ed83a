import { isoTime } from '../epoch-ms.ts';
import type { JobRefused } from '../events/job-events.ts';
import { shorten } from '../well-formed.ts';
import { jobKeyOf } from './job-id.ts';
import type { SeenJob } from './job-record.ts';
import { summarize } from './job-summary.ts';
import type { ProfileMatch } from './match-profile.ts';

/** The longest text of an event, in characters: labels and names may be longer. */
const mostCharacters = 500;

/**
 * Describes a refused job for its event.
 *
 * @returns undefined for a job that a profile takes, or that none has the labels of
 */
export function refusedJobOf(job: SeenJob, match: ProfileMatch, nowEpochMs: number): JobRefused | undefined {
  if (match.refusedBy === undefined) return undefined;
  const { refusal, reason, refusedBy } = match;
  const { queuedAtEpochMs: _queued, startedAtEpochMs: _started, ...known } = summarize(job);
  const key = jobKeyOf(job);
  const label = refusedBy.label === undefined ? {} : { label: shorten(refusedBy.label, mostCharacters) };
  return {
    id: `${key}/JobRefused/${refusal}`,
    ciSystem: job.ciSystem,
    job: { key, ...known, ...(job.url === undefined ? {} : { url: job.url }) },
    refusal,
    reason: shorten(reason, mostCharacters),
    profile: refusedBy.profile,
    ...label,
    at: isoTime(nowEpochMs),
  };
}

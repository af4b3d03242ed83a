import type { SeenJob } from '../../core/job/job-record.ts';
import type { ProfileMatch } from '../../core/job/match-profile.ts';
import { refusedJobOf } from '../../core/job/refused-job.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Ignored } from './job-outcome.ts';

interface RefusedJobDeps {
  invokeLater: InvokeLater<'publish-events'>;
  nowEpochMs: () => number;
}

/**
 * Ignores a queued job that no profile takes, with the reason. Requests the event of a refused job if a profile refuses
 * it.
 *
 * @throws TransientError when the event cannot be requested; a redelivery finishes the work
 */
export async function handleRefused(
  { invokeLater, nowEpochMs }: RefusedJobDeps,
  job: SeenJob,
  match: Extract<ProfileMatch, { reason: string }>,
): Promise<Ignored> {
  const refused = refusedJobOf(job, match, nowEpochMs());
  if (refused !== undefined) await invokeLater('publish-events', { refused });
  return { ignored: match.reason, refusal: match.refusal };
}

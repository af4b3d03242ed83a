import type { SeenJob } from '../../core/job/job-record.ts';
import type { ProfileMatch } from '../../core/job/match-profile.ts';
import { refusedJobOf } from '../../core/job/refused-job.ts';
import type { Refusals } from '../../ports/requests.ts';
import type { HttpAnswer } from '../../runtime/http/answer.ts';
import { ignored } from './ignored.ts';

/** The dependencies of answering a queued job that no profile takes. */
export interface RefusedJobDeps {
  refusals: Refusals;
  nowEpochMs: () => number;
}

/**
 * Answers a queued job that no profile takes, with the reason. Requests the event of a refused job if a profile refuses
 * it.
 *
 * @throws TransientError when the event cannot be requested; a redelivery finishes the work
 */
export async function answerRefused(
  { refusals, nowEpochMs }: RefusedJobDeps,
  job: SeenJob,
  match: Extract<ProfileMatch, { reason: string }>,
): Promise<HttpAnswer> {
  const refused = refusedJobOf(job, match, nowEpochMs());
  if (refused !== undefined) await refusals.tell(refused);
  return ignored(match.reason, match.refusal);
}

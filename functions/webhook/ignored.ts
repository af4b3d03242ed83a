import type { Refusal } from '../../core/job/match-profile.ts';
import { type HttpAnswer, jsonAnswer } from '../../runtime/http/answer.ts';
import type { IgnoredAnswer } from '../../runtime/http/answers.ts';

/**
 * Answers an event that needs no action, with the reason.
 *
 * @param refusal why no profile takes the queued job, for the metrics
 */
export function ignored(reason: string, refusal?: Refusal): HttpAnswer {
  const answer: IgnoredAnswer = { ignored: true, reason };
  return { ...jsonAnswer(200, answer), ...(refusal === undefined ? {} : { subject: { refusal } }) };
}

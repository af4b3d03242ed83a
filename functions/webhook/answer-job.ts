import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { handleCompleted, handleQueued } from '../../logic/jobs/handle-job.ts';
import { handleRegisteredJob } from '../../logic/jobs/handle-registered-job.ts';
import type { JobOutcome } from '../../logic/jobs/job-outcome.ts';
import { type HttpAnswer, jsonAnswer } from '../../runtime/http/answer.ts';
import type { JobAnswer } from '../../runtime/http/answers.ts';
import { launchAnswer, subjectOf } from '../../runtime/http/launch-answer.ts';
import { ignored } from './ignored.ts';

/** Answers the event of a queued job whose agent registers itself, as `handleQueued` says. */
export const answerQueued = answering(handleQueued);

/** Answers the event of a completed job whose agent registers itself, as `handleCompleted` says. */
export const answerCompleted = answering(handleCompleted);

/** Answers an event of a CI system in which davit acts, as `handleRegisteredJob` says. */
export const answerRegisteredJob = answering(handleRegisteredJob);

function answering<Given extends unknown[]>(
  handle: (...given: Given) => Promise<JobOutcome>,
): (...given: Given) => Promise<HttpAnswer> {
  return async (...given) => answerOf(await handle(...given));
}

/** 202 while something is under way, 200 when nothing is left to do. */
function answerOf(outcome: JobOutcome): HttpAnswer {
  if ('ignored' in outcome) return ignored(outcome.ignored, outcome.refusal);
  if ('requested' in outcome) return launchAnswer(outcome.requested);
  if ('runs' in outcome) return aboutJob(200, outcome.runs);
  const { record, duplicate } = outcome.ended;
  return aboutJob(record.status === 'cleaning' ? 202 : 200, record, duplicate);
}

function aboutJob(status: 200 | 202, record: LaunchRecord, duplicate?: boolean): HttpAnswer {
  const answer: JobAnswer = { launchId: record.launchId, status: record.status, ...(duplicate ? { duplicate } : {}) };
  const subject = { ...subjectOf(record), ...(duplicate === undefined ? {} : { duplicate }) };
  return { ...jsonAnswer(status, answer), subject };
}

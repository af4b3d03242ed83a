import { type AnswerSubject, type HttpAnswer, jsonAnswer } from './answer.ts';
import { type ProblemSlug, problems, problemTypeBase } from './problems.ts';

/** The details of one problem. */
export interface ProblemDetails {
  /** The cause of this problem, for a person. It contains no secret. From the body, it contains only names. */
  detail: string;
  /** The ids and lists that the problem is about; they become members of the answer. */
  extra?: Record<string, unknown>;
  /** Headers of the answer, such as `retry-after`; names in lower case. */
  headers?: Record<string, string>;
  /** Goes into the log and the metrics, never to the caller. */
  subject?: AnswerSubject;
}

/** A request that gets a problem as its answer. The logic throws it, and `httpHandler` answers it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly slug: ProblemSlug;
  readonly details: ProblemDetails;

  constructor(slug: ProblemSlug, details: ProblemDetails) {
    super(`${slug}: ${details.detail}`);
    this.slug = slug;
    this.details = details;
  }

  /** The answer's HTTP status. */
  get status(): number {
    return problems[this.slug].status;
  }
}

/** Builds the answer of a problem. @see https://www.rfc-editor.org/rfc/rfc9457 */
export function problemAnswer(problem: Problem): HttpAnswer {
  const { status, title } = problems[problem.slug];
  const { detail, extra, headers, subject } = problem.details;
  const body = { ...extra, type: `${problemTypeBase}${problem.slug}`, title, status, detail };
  const answer = jsonAnswer(status, body, { 'content-type': 'application/problem+json', ...headers });
  return subject === undefined ? answer : { ...answer, subject };
}

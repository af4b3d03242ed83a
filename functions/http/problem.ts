import type { AnswerSubject, HttpAnswer } from './answer.ts';
import { jsonAnswer } from './answer.ts';
import type { ProblemSlug } from './problems.ts';
import { problems, problemTypeBase } from './problems.ts';

/** What a problem says beside its kind. */
export interface ProblemDetails {
  /** What went wrong this time, for a person: no secret, and nothing of a body but names. */
  detail: string;
  /** The ids and lists that the problem is about; members of the answer's object. */
  extra?: Record<string, unknown>;
  /** Headers that belong to the answer, such as `retry-after`; names in lower case. */
  headers?: Record<string, string>;
  /** For the log and the metrics; never sent. */
  about?: AnswerSubject;
}

/** A request that is answered with a problem. Thrown by the logic, turned into its answer by `httpHandler`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly slug: ProblemSlug;
  readonly details: ProblemDetails;

  constructor(slug: ProblemSlug, details: ProblemDetails) {
    super(`${slug}: ${details.detail}`);
    this.slug = slug;
    this.details = details;
  }

  /** The status that it is answered with. */
  get status(): number {
    return problems[this.slug].status;
  }
}

/**
 * Makes the answer of a problem.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export function problemAnswer(problem: Problem): HttpAnswer {
  const { status, title } = problems[problem.slug];
  const { detail, extra, headers, about } = problem.details;
  const body = { ...extra, type: `${problemTypeBase}${problem.slug}`, title, status, detail };
  const answer = jsonAnswer(status, body, { 'content-type': 'application/problem+json', ...headers });
  return about === undefined ? answer : { ...answer, about };
}

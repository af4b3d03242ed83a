import type { HttpAnswer } from './answer.ts';
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
}

/**
 * Makes the answer of a problem.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export function problemAnswer(problem: Problem): HttpAnswer {
  const { status, title } = problems[problem.slug];
  const { detail, extra, headers } = problem.details;
  return jsonAnswer(
    status,
    { ...extra, type: `${problemTypeBase}${problem.slug}`, title, status, detail },
    { 'content-type': 'application/problem+json', ...headers },
  );
}

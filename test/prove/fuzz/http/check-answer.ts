import assert from 'node:assert/strict';
import * as z from 'zod';
import { type ProblemSlug, problems, problemTypeBase } from '../../../../runtime/http/problems.ts';
import { assertNoSecret } from './secrets.ts';

/** A door's answer. */
export interface RawAnswer {
  status: number;
  /** Names are lower-case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** @see https://www.rfc-editor.org/rfc/rfc9457 */
const ProblemBody = z.looseObject({
  type: z.string().startsWith(problemTypeBase),
  title: z.string(),
  status: z.int(),
  detail: z.string().min(1).max(4000),
});

const slugs = new Map<string, ProblemSlug>(Object.keys(problems).map((slug) => [slug, slug as ProblemSlug]));

/** The only answer of 500 and above that is not a fault: it tells an agent to ask again. */
const waits: ProblemSlug = 'token-pending';

/**
 * Checks an invariant of all answers: they are JSON, caches do not store them unasked, errors are documented problems,
 * davit is never at fault, and no secret appears.
 *
 * @returns a summary of the answer: `202`, `401 signature-refused`
 * @throws AssertionError
 */
export function checkAnswer({ status, headers, body }: RawAnswer): string {
  assertNoSecret(`${JSON.stringify(headers)}${body}`, `answer ${status}`);
  // An ETag serves callers that ask whether anything has changed.
  assert.equal(headers['cache-control'], headers['etag'] === undefined ? 'no-store' : 'private, no-cache');
  if (status === 304) {
    assert.equal(body, '');
    return '304';
  }
  const parsed: unknown = JSON.parse(body);
  if (status < 400) {
    assert.ok([200, 202].includes(status), `status ${status} is not documented`);
    assert.equal(headers['content-type'], 'application/json');
    return `${status}`;
  }
  assert.equal(headers['content-type'], 'application/problem+json');
  const problem = ProblemBody.parse(parsed);
  const slug = slugs.get(problem.type.slice(problemTypeBase.length));
  assert.ok(slug !== undefined, `${problem.type} is not documented`);
  assert.ok(status < 500 || slug === waits, `davit answered with a fault of its own: ${status} ${slug}`);
  assert.equal(status, problems[slug].status);
  assert.equal(problem.status, status);
  assert.equal(problem.title, problems[slug].title);
  return `${status} ${slug}`;
}

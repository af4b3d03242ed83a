import assert from 'node:assert/strict';
import * as z from 'zod';
import { type ProblemSlug, problems, problemTypeBase } from '../../../functions/http/problems.ts';
import { assertNoSecret } from './secrets.ts';

/** An answer as it came out of a door. */
export interface RawAnswer {
  status: number;
  /** Names in lower case. */
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
 * Checks what holds of every answer: it is JSON that nothing keeps, an error is a documented problem, nothing is
 * davit's fault, and no secret comes out.
 *
 * @returns the answer in a few words: `202`, `401 signature-refused`
 * @throws AssertionError
 */
export function checkAnswer({ status, headers, body }: RawAnswer): string {
  assertNoSecret(`${JSON.stringify(headers)}${body}`, `answer ${status}`);
  assert.equal(headers['cache-control'], 'no-store');
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
  assert.ok(status < 500 || slug === waits, `davit says that it is to blame: ${status} ${slug}`);
  assert.equal(status, problems[slug].status);
  assert.equal(problem.status, status);
  assert.equal(problem.title, problems[slug].title);
  return `${status} ${slug}`;
}

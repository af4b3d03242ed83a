import { problems } from '../../runtime/http/problems.ts';
import type { RawAnswer } from './exchange.ts';

const typeBase = 'https://davit.dev/problems/';

/** Matches an answer with this problem, with any detail. */
export function problem(slug: keyof typeof problems): object {
  const { status, title } = problems[slug];
  const body: unknown = expect.objectContaining({ type: `${typeBase}${slug}`, title, status });
  return { status, contentType: 'application/problem+json', body };
}

/** Matches API Gateway's own answer. */
export function gatewaySays(status: number, message: string): RawAnswer {
  return { status, contentType: 'application/json', body: { message } };
}

import { expect } from '@jest/globals';
import { problems } from '../../functions/http/problems.ts';
import type { RawAnswer } from './exchange.ts';

const typeBase = 'https://davit.dev/problems/';

/** What `expect` takes for an answer with this problem, whatever its detail. */
export function problem(slug: keyof typeof problems): object {
  const { status, title } = problems[slug];
  const body: unknown = expect.objectContaining({ type: `${typeBase}${slug}`, title, status });
  return { status, contentType: 'application/problem+json', body };
}

/** An answer of API Gateway's own. */
export function gatewaySays(status: number, message: string): RawAnswer {
  return { status, contentType: 'application/json', body: { message } };
}

/**
 * Says whether an answer is one that the documentation promises a caller who sends rubbish: a success, a refusal by the
 * gateway, or a problem that is the caller's.
 */
export function isDocumented({ status, contentType, body }: RawAnswer): boolean {
  if (status === 200 || status === 202) return true;
  if (contentType === 'application/json') return [400, 404].includes(status) && typeof body['message'] === 'string';
  const known = Object.entries(problems).find(([slug]) => `${typeBase}${slug}` === body['type'])?.[1];
  return known?.status === status && body['status'] === status && status < 500;
}

import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import * as z from 'zod';
import { parseJson } from '../../../../local/json-value.ts';
import { exampleJob } from '../../../support/github-events.ts';
import { mangledBytes } from '../arbitraries/mangled-bytes.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import type { FuzzRequest } from '../http/fuzz-request.ts';

/** Makes the signature header of a body, or none. */
type Signing = (body: Buffer, secret: string) => string | undefined;

const right = (body: Buffer, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const anySigning: fc.Arbitrary<Signing> = weighted(
  [6, fc.constant(right)],
  [3, fc.constantFrom(...nearMisses())],
  [1, odd.text.map(always)],
);

function always(signature: string): Signing {
  return () => signature;
}

/** A delivery of GitHub's, signed as the input says. */
export interface Delivery {
  ciSystem: string;
  event: string | undefined;
  sign: Signing;
  body: Buffer;
  extra: [string, string][];
}

/** The fields of a payload that davit reads, and a few more: most changes hit relevant fields. */
const Excerpt = z.object({
  action: z.string(),
  repository: z.object({ id: z.int(), name: z.string(), owner: z.object({ login: z.string() }) }),
  workflow_job: z.object({
    id: z.int(),
    run_attempt: z.int(),
    labels: z.array(z.string()),
    conclusion: z.string().nullable(),
    html_url: z.string(),
    name: z.string(),
  }),
});

const queued = exampleJob('queued', 'k8s');
const completed = exampleJob('completed', 'ubuntu-latest');
const bodies = mangledBytes(
  weighted(
    [6, mutatedJson(Excerpt.parse(queued))],
    [3, mutatedJson(Excerpt.parse(completed))],
    [1, mutatedJson(parseJson(JSON.stringify(queued)))],
  ).map(jsonText),
);

/** Any delivery. */
export const anyDelivery: fc.Arbitrary<Delivery> = fc.record({
  ciSystem: weighted([30, fc.constant('github')], [1, odd.key]),
  event: weighted([20, fc.constant('workflow_job')], [1, fc.constantFrom('ping', 'push', undefined)], [1, odd.text]),
  sign: anySigning,
  body: bodies,
  extra: weighted(
    [8, fc.constant<[string, string][]>([])],
    [
      1,
      fc.array(
        fc.tuple(fc.constantFrom('x-hub-signature-256', 'x-github-event', 'content-type', 'authorization'), odd.text),
        { maxLength: 3 },
      ),
    ],
  ),
});

/** Makes the request of a delivery. @param secret the provider's signing secret */
export function requestOfDelivery({ ciSystem, event, sign, body, extra }: Delivery, secret: string): FuzzRequest {
  const signature = sign(body, secret);
  return {
    method: 'POST',
    segments: ['webhooks', ciSystem],
    query: {},
    headers: [
      ['content-type', 'application/json'],
      ...(event === undefined ? [] : [['x-github-event', event] as const]),
      ...(signature === undefined ? [] : [['x-hub-signature-256', signature] as const]),
      ...extra,
    ],
    body,
  };
}

/** Whether a request has its provider's signature. An independent implementation: it calls nothing of davit's. */
export function isSigned({ headers, body }: FuzzRequest, secret: string): boolean {
  const given = headers.filter(([name]) => name === 'x-hub-signature-256').map(([, value]) => value);
  return given.length === 1 && given[0] === right(body, secret);
}

function nearMisses(): Signing[] {
  return [
    () => undefined,
    () => '',
    (body) => right(body, 'another secret'),
    (body, secret) => right(body, secret).toUpperCase(),
    (body, secret) => right(body, secret).slice(0, -1),
    (body, secret) => `${right(body, secret)}0`,
    (body, secret) => `${right(body, secret)}\0`,
    (body, secret) => `${right(body, secret)}, ${right(body, secret)}`,
    (body, secret) => right(body, secret).replace('sha256=', ''),
    (body, secret) => right(body, secret).replace('sha256=', 'sha1='),
    (body, secret) => `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
    (body, secret) => `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`,
    (body, secret) => right(Buffer.concat([body, Buffer.from('\n')]), secret),
    (_, secret) => right(Buffer.alloc(0), secret),
    () => `sha256=${'0'.repeat(64)}`,
    () => `sha256=${'é'.repeat(32)}`,
  ];
}

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { exampleJob } from '../support/github-events.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { isDocumented } from './documented-answers.ts';
import { exchange, type RawRequest } from './exchange.ts';
import { newJob, registration } from './jobs.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let url: string;
let secret: string;
beforeAll(async () => {
  davit = await startTestRuntime();
  ({ url } = davit.runtime);
  secret = await davit.runtime.webhookSecret('github');
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

const seed = 68_649;
const manyAtOnce = { minLength: 20, maxLength: 20 };

const word = fc.oneof(
  fc.constantFrom('launches', 'webhooks', 'agents', 'github', 'connect', '..', '__proto__', '*', ''),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.stringMatching(/^[!-~]{0,60}$/),
);
const target = fc.oneof(
  fc.array(word, { maxLength: 4 }).map((words) => `/${words.join('/')}`),
  word.map((id) => `/launches/${id}`),
  word.map((id) => `/agents/${id}/connect`),
  word.map((query) => `/launches?${query}`),
  fc.constantFrom('/launches', '/webhooks/github'),
);
const headerName = fc.constantFrom(
  'content-type',
  'authorization',
  'x-github-event',
  'x-hub-signature-256',
  'cookie',
  'accept',
);
const headerValue = fc.oneof(
  fc.constantFrom('application/json', 'application/octet-stream', 'Bearer x', 'workflow_job', ''),
  fc.stringMatching(/^[\t -~\u00a0-\u00ff]{0,80}$/),
);
const rubbish: fc.Arbitrary<RawRequest> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'),
  target,
  headers: fc.array(fc.tuple(headerName, headerValue), { maxLength: 5 }),
  body: fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  ),
});

// No profile takes the labels of this job: where what is wrong does no harm, nothing is launched.
const example = exampleJob('queued', 'k8s');
const job = { ...example, workflow_job: { ...example.workflow_job, labels: ['nobody-has-this'] } };
const wrongValue = fc.oneof(fc.jsonValue(), fc.constantFrom('queued', 'completed', -1, 1e21, Number.MAX_SAFE_INTEGER));
const wrongJob = fc.oneof(
  fc.tuple(fc.constantFrom(...Object.keys(job)), wrongValue).map(([key, wrong]) => ({ ...job, [key]: wrong })),
  fc
    .tuple(fc.constantFrom(...Object.keys(job.workflow_job)), wrongValue)
    .map(([key, wrong]) => ({ ...job, workflow_job: { ...job.workflow_job, [key]: wrong } })),
);

test('each of 3,000 requests of rubbish gets a documented answer', async () => {
  const property = fc.asyncProperty(fc.array(rubbish, manyAtOnce), async (requests) => {
    const exchanged = await Promise.all(
      requests.map(async (request) => ({ request, answer: await exchange(url, request) })),
    );

    expect(exchanged.filter(({ answer }) => !isDocumented(answer))).toEqual([]);
  });

  await fc.assert(property, { seed, numRuns: 150 });
});

test('each of 1,000 signed jobs of which one thing is wrong is refused or ignored', async () => {
  const property = fc.asyncProperty(fc.array(wrongJob, manyAtOnce), async (jobs) => {
    const exchanged = await Promise.all(jobs.map(async (sent) => ({ sent, answer: await deliver(sent) })));

    const taken = exchanged.filter(({ answer }) => answer.status !== 400 && !('reason' in answer.body));
    expect(taken).toEqual([]);
    expect(exchanged.filter(({ answer }) => !isDocumented(answer))).toEqual([]);
  });

  await fc.assert(property, { seed, numRuns: 50 });
});

test('after all of it a launch works', async () => {
  const next = newJob();

  const { status } = await davit.github.deliver(next, 'queued');
  const { token } = await registration(davit, next);

  expect({ status, agent: token.agentName }).toEqual({ status: 202, agent: next.agentName });
});

function deliver(payload: object): ReturnType<typeof exchange> {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return exchange(url, {
    method: 'POST',
    target: '/webhooks/github',
    headers: [
      ['content-type', 'application/json'],
      ['x-github-event', 'workflow_job'],
      ['x-hub-signature-256', signature],
    ],
    body,
  });
}

import { TransientError } from '../../../../core/errors/errors.ts';
import { countRefused } from '../../../../functions/webhook/count-refused.ts';
import type { Refusal } from '../../../../ports/refused-webhooks.ts';
import { type HttpAnswer, jsonAnswer } from '../../../../runtime/http/answer.ts';
import { Problem } from '../../../../runtime/http/problem.ts';
import type { HttpRequest } from '../../../../runtime/http/request.ts';

const refusal = new Problem('signature-refused', { detail: 'the signature is missing' });
let now: number;
let noted: Refusal[];
let fails: boolean;
beforeEach(() => {
  now = 1_767_225_600_000;
  noted = [];
  fails = false;
});

const note = async (refused: Refusal) => {
  if (fails) throw new TransientError('StoreUnavailable', 'throttled');
  noted.push(refused);
};
const make = (answer: () => Promise<HttpAnswer>) =>
  countRefused({ ciSystems: [{ name: 'github' }], refusedWebhooks: { note }, nowEpochMs: () => now }, answer);
const requestTo = (name: string): HttpRequest => ({
  method: 'POST',
  parameters: { name },
  query: {},
  headers: {},
  body: Buffer.alloc(0),
  receivedAtEpochMs: 0,
});

test('the first refusal is noted at once, and the next ones together after 10 s', async () => {
  const answer = make(async () => Promise.reject(refusal));

  for (const atMs of [0, 100, 9999, 10_000]) {
    now = 1_767_225_600_000 + atMs;
    await expect(answer(requestTo('github'))).rejects.toBe(refusal);
  }

  const why = 'the signature is missing';
  expect(noted).toEqual([
    { ciSystem: 'github', count: 1, why, atEpochMs: 1_767_225_600_000 },
    { ciSystem: 'github', count: 3, why, atEpochMs: 1_767_225_610_000 },
  ]);
});

test('a store that does not answer changes no answer', async () => {
  fails = true;

  await expect(make(async () => Promise.reject(refusal))(requestTo('github'))).rejects.toBe(refusal);
});

test.each([
  ['a CI system that davit.yaml does not have', 'other', refusal],
  ['a service that fails', 'github', new TransientError('StoreUnavailable', 'throttled')],
])('nothing is noted of %s', async (_what, name, error) => {
  await expect(make(async () => Promise.reject(error))(requestTo(name))).rejects.toBe(error);

  expect(noted).toEqual([]);
});

test('an accepted delivery is answered as it is', async () => {
  const accepted = jsonAnswer(202, {});

  expect(await make(async () => accepted)(requestTo('github'))).toBe(accepted);
  expect(noted).toEqual([]);
});

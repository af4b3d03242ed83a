import { PendingError, TerminalError } from '../../../../core/errors/errors.ts';
import { runByHand } from '../../../../local/runtime/run-by-hand.ts';
import { httpEvent } from '../../../support/http-event.ts';

const report = { found: 3 };

test.each([
  { what: 'no body', body: '', input: {} },
  { what: 'JSON', body: '{"dryRun":true}', input: { dryRun: true } },
  { what: 'JSON in base64', body: Buffer.from('{"dryRun":true}'), input: { dryRun: true } },
])('$what is the input of the function, whose result is the answer', async ({ body, input }) => {
  const inputs: unknown[] = [];

  const answer = await runByHand(httpEvent({ body }), async (given) => {
    inputs.push(given);
    return report;
  });

  expect(inputs).toEqual([input]);
  expect(answer).toMatchObject({ statusCode: 200, body: JSON.stringify(report) });
});

test.each([
  { what: 'half a JSON', body: '{"dryRun":', says: 'body-malformed' },
  { what: 'no UTF-8', body: Buffer.from([0xff]), says: 'body-malformed' },
  { what: 'an input of another function', body: '{"dryRun":"x"}', says: 'dryRun: expected a boolean' },
])('$what is answered 400, and says what is wrong', async ({ body, says }) => {
  const run = () => Promise.reject(new TerminalError('InputInvalid', 'sweep: dryRun: expected a boolean'));

  const answer = await runByHand(httpEvent({ body }), run);

  expect(answer).toMatchObject({ statusCode: 400, body: expect.stringContaining(says) });
});

test('an error of the function stays what it is', async () => {
  const failed = new PendingError('RemovalPending', 'not gone yet');

  await expect(runByHand(httpEvent(), () => Promise.reject(failed))).rejects.toBe(failed);
});

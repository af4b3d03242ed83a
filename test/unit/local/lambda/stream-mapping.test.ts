import { expect, test } from '@jest/globals';
import type { StreamRecord } from '../../../../local/dynamodb/table-streams.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import type { InvocationResult } from '../../../../local/lambda/function-host.ts';
import { mapStream } from '../../../../local/lambda/stream-mapping.ts';

const record = (number: number): StreamRecord => ({ eventName: 'INSERT', dynamodb: { SequenceNumber: `${number}` } });
const taken: InvocationResult = { requestId: 'r', payload: { batchItemFailures: [] } };
const notFrom = (number: number): InvocationResult => ({
  requestId: 'r',
  payload: { batchItemFailures: [{ itemIdentifier: `${number}` }] },
});
const crashed: InvocationResult = {
  requestId: 'r',
  functionError: 'Unhandled',
  payload: { errorType: 'Runtime.ExitError', errorMessage: 'exit', trace: [] },
};

/** A function that gives these answers, and then takes everything. */
function scripted(...answers: InvocationResult[]) {
  const batches: unknown[][] = [];
  const invoke = async (event: JsonValue) => {
    const { Records } = JSON.parse(JSON.stringify(event));
    batches.push(Records.map(({ dynamodb }: StreamRecord) => Number(dynamodb.SequenceNumber)));
    return answers.shift() ?? taken;
  };
  return { batches, invoke };
}

test('what comes while the function runs waits, and is told in batches, in order', async () => {
  const { batches, invoke } = scripted();
  using mapping = mapStream({ invoke, batchSize: 2 });

  for (const number of [1, 2, 3, 4]) mapping.add(record(number));
  await mapping.settled();

  expect(batches).toEqual([[1], [2, 3], [4]]);
});

test('what the function does not take is told again, from there', async () => {
  const { batches, invoke } = scripted(taken, notFrom(3));
  using mapping = mapStream({ invoke, retryDelayMs: 1 });

  for (const number of [1, 2, 3, 4]) mapping.add(record(number));
  await mapping.settled();

  expect(batches).toEqual([[1], [2, 3, 4], [3, 4]]);
});

test('a batch in which the function died is told again whole', async () => {
  const { batches, invoke } = scripted(crashed);
  using mapping = mapStream({ invoke, retryDelayMs: 1 });

  mapping.add(record(1));
  await mapping.settled();

  expect(batches).toEqual([[1], [1]]);
});

test('nothing is told after the stop', async () => {
  const { batches, invoke } = scripted(notFrom(1));
  const mapping = mapStream({ invoke, retryDelayMs: 1 });
  mapping.add(record(1));
  mapping[Symbol.dispose]();

  await mapping.settled();

  expect(batches).toEqual([[1]]);
});

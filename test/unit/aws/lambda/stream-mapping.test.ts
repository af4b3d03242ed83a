import type { JsonValue } from '../../../../local/json-value.ts';
import type { InvocationResult } from '../../../../local/runtime/invocation.ts';
import type { StreamRecord } from '../../../support/aws/dynamodb/table-streams.ts';
import { mapStream } from '../../../support/aws/lambda/stream-mapping.ts';

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

/** A function that gives these answers, and then accepts everything. */
function scripted(...answers: InvocationResult[]) {
  const batches: unknown[][] = [];
  const invoke = async (event: JsonValue) => {
    const { Records } = JSON.parse(JSON.stringify(event));
    batches.push(Records.map(({ dynamodb }: StreamRecord) => Number(dynamodb.SequenceNumber)));
    return answers.shift() ?? taken;
  };
  return { batches, invoke };
}

test('delivers records that arrive close together in batches, in order', async () => {
  const { batches, invoke } = scripted();
  await using mapping = mapStream({ invoke, batchSize: 2, pollMs: 1 });

  for (const number of [1, 2, 3, 4, 5]) mapping.add(record(number));
  await mapping.settled();

  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});

test('delivers records that arrive during an invocation after it', async () => {
  const { batches, invoke } = scripted();
  const invokeAndAdd = (event: JsonValue) => {
    if (batches.length === 0) mapping.add(record(2));
    return invoke(event);
  };
  await using mapping = mapStream({ invoke: invokeAndAdd, pollMs: 1 });

  mapping.add(record(1));
  await mapping.settled();

  expect(batches).toEqual([[1], [2]]);
});

test('delivers again from the first record that the function did not accept', async () => {
  const { batches, invoke } = scripted(notFrom(3));
  await using mapping = mapStream({ invoke, pollMs: 1, retryDelayMs: 1 });

  for (const number of [1, 2, 3, 4]) mapping.add(record(number));
  await mapping.settled();

  expect(batches).toEqual([
    [1, 2, 3, 4],
    [3, 4],
  ]);
});

test('delivers a whole batch again when the function died on it', async () => {
  const { batches, invoke } = scripted(crashed);
  await using mapping = mapStream({ invoke, pollMs: 1, retryDelayMs: 1 });

  mapping.add(record(1));
  await mapping.settled();

  expect(batches).toEqual([[1], [1]]);
});

test('delivers waiting records once more at the stop, and not again', async () => {
  const { batches, invoke } = scripted(notFrom(1));
  const mapping = mapStream({ invoke, pollMs: 60_000, retryDelayMs: 60_000 });
  mapping.add(record(1));

  await mapping[Symbol.asyncDispose]();

  expect(batches).toEqual([[1]]);
});

import assert from 'node:assert/strict';
import { marshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { marshallOptions } from '../../../../adapters/aws/dynamo-table.ts';
import { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { LaunchId } from '../../../../core/launch/names.ts';
import { defineDoor } from '../door.ts';
import type { FuzzRequest } from '../http/fuzz-request.ts';
import { type CheckedAnswer, makeCheckedSender, sendChecked } from '../http/send-checked.ts';
import { anyLaunchesRequest } from './launches-requests.ts';

const Accepted = z.object({ launchId: LaunchId });
const Asked = z.object({ jobId: z.string() });

/** Requests by CI servers and people: an accepted launch can be stored, shown, and requested again. */
export const launchesDoor = defineDoor({
  inputs: anyLaunchesRequest,
  open: async () => {
    const send = await makeCheckedSender();
    return async (request) => {
      const checked = await send('launches', request);
      if (request.method === 'GET') assert.equal(checked.changes, 0);
      if (request.method === 'POST' && checked.answer.status < 300) await checkAccepted(checked, request);
      return `${checked.words} to ${request.method.slice(0, 9)}`;
    };
  },
});

async function checkAccepted({ davit, answer }: CheckedAnswer, request: FuzzRequest): Promise<void> {
  const { launchId } = Accepted.parse(JSON.parse(answer.body));
  // Two lone surrogates encode to the same bytes: their jobs would share this launch.
  assert.ok(Asked.parse(JSON.parse(request.body.toString())).jobId.isWellFormed());
  const record = LaunchRecord.parse(await davit.launches.get(launchId));
  marshall(record, marshallOptions);
  // DynamoDB refuses a string that is not Unicode.
  JSON.stringify(record, (key, value: unknown) => {
    assert.ok(key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed()));
    return value;
  });
  assert.equal(answer.headers['location'], `/launches/${launchId}`);
  const shown = await sendChecked(davit, 'launches', { ...request, method: 'GET', segments: ['launches', launchId] });
  assert.equal(shown.answer.status, 200);
  const again = await sendChecked(davit, 'launches', request);
  assert.equal(again.answer.status, 200);
  assert.equal(again.changes, 0);
  assert.deepEqual(Accepted.parse(JSON.parse(again.answer.body)), { launchId });
}

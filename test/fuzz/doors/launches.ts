import assert from 'node:assert/strict';
import * as z from 'zod';
import { LaunchRecord } from '../../../functions/domain/launch-record.ts';
import { LaunchId } from '../../../functions/domain/names.ts';
import { defineDoor } from '../door.ts';
import type { FuzzRequest } from '../http/fuzz-request.ts';
import { makeVisitor, type Visited, visitHouse } from '../http/visit.ts';
import { anyLaunchesRequest } from './launches-requests.ts';

const Accepted = z.object({ launchId: LaunchId });
const Asked = z.object({ jobId: z.string() });

/** What CI servers and people ask for: what is accepted can be stored, shown, and asked for again. */
export const launchesDoor = defineDoor({
  name: 'launches',
  about: 'POST, GET and DELETE /launches, /launches/{id}: bodies, queries and ids with changes',
  share: 200,
  inputs: anyLaunchesRequest,
  open: async () => {
    const visit = await makeVisitor();
    return async (request) => {
      const visited = await visit('launches', request);
      if (request.method === 'GET') assert.equal(visited.changes, 0);
      if (request.method === 'POST' && visited.answer.status < 300) await checkAccepted(visited, request);
      return `${visited.words} to ${request.method.slice(0, 9)}`;
    };
  },
});

async function checkAccepted({ house, answer }: Visited, request: FuzzRequest): Promise<void> {
  const { launchId } = Accepted.parse(JSON.parse(answer.body));
  // Two lone surrogates become the same bytes: their jobs would share this launch.
  assert.ok(Asked.parse(JSON.parse(request.body.toString())).jobId.isWellFormed());
  const record = LaunchRecord.parse(await house.launches.get(launchId));
  // DynamoDB refuses a string that is not Unicode.
  JSON.stringify(record, (key, value: unknown) => {
    assert.ok(key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed()));
    return value;
  });
  assert.equal(answer.headers['location'], `/launches/${launchId}`);
  const shown = await visitHouse(house, 'launches', { ...request, method: 'GET', segments: ['launches', launchId] });
  assert.equal(shown.answer.status, 200);
  const again = await visitHouse(house, 'launches', request);
  assert.equal(again.answer.status, 200);
  assert.equal(again.changes, 0);
  assert.deepEqual(Accepted.parse(JSON.parse(again.answer.body)), { launchId });
}

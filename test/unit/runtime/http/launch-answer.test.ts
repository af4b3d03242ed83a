import type { HttpAnswer } from '../../../../runtime/http/answer.ts';
import { launchAnswer, subjectOf } from '../../../../runtime/http/launch-answer.ts';
import { endingOf, planOf, recordOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';

const launchId = 'github-1-2-1';
const record = recordOf(launchId, { plan: planOf(launchId, { traceHeader: 'Root=1-2-3;Sampled=1' }) });
const subject = {
  launchId,
  agentName: 'davit-github-1-2-1',
  profile: 'linux',
  cluster: 'sandbox',
  traceHeader: 'Root=1-2-3;Sampled=1',
};
const body = { launchId, agentName: 'davit-github-1-2-1', profile: 'linux', cluster: 'sandbox', status: 'launching' };

function read({ statusCode, headers, body: text, subject: about }: HttpAnswer) {
  return { status: statusCode, location: headers['location'], body: JSON.parse(text), about };
}

describe('the answer to a request for a launch', () => {
  const location = '/launches/github-1-2-1';

  test('is 202 with its location for a new launch', () => {
    const answer = read(launchAnswer({ record, duplicate: false }));

    expect(answer).toEqual({ status: 202, location, body, about: { ...subject, duplicate: false } });
  });

  test('is 200 and a duplicate, without a reason, for a live launch', () => {
    const answer = read(launchAnswer({ record, duplicate: true }));

    const about = { ...subject, duplicate: true };
    expect(answer).toEqual({ status: 200, location, body: { ...body, duplicate: true }, about });
  });

  test.each([
    {
      what: 'with an ending',
      over: { ...record, status: 'failed' as const, ending: endingOf({ by: 'the sweep', message: 'gone' }) },
      reason: 'the sweep: gone',
    },
    { what: 'without an ending', over: { ...record, status: 'failed' as const }, reason: 'the launch is over' },
  ])('says why the launch is over $what', ({ over, reason }) => {
    expect(read(launchAnswer({ record: over, duplicate: true })).body).toEqual({
      ...body,
      status: 'failed',
      duplicate: true,
      reason,
    });
  });

  test('has neither profile nor cluster, and says why, for a job that completed first', () => {
    const answer = read(launchAnswer({ record: tombstoneOf(launchId), duplicate: true }));

    expect(answer.body).toEqual({
      launchId,
      agentName: 'davit-github-1-2-1',
      status: 'terminated',
      duplicate: true,
      reason: 'the job was completed before it was queued',
    });
  });
});

test('an answer about a launch without a plan names only its id', () => {
  expect(subjectOf({ launchId })).toEqual({ launchId });
});

import { describe, expect, test } from '@jest/globals';
import type { HttpAnswer } from '../../../../functions/http/answer.ts';
import { launchAnswer, subjectOf } from '../../../../functions/launch-lifecycle/launch-answer.ts';
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

describe('the answer to a caller who asks for a launch', () => {
  const location = '/launches/github-1-2-1';

  test('that is new is 202 with where to read it', () => {
    const answer = read(launchAnswer({ record, duplicate: false }));

    expect(answer).toEqual({ status: 202, location, body, about: { ...subject, duplicate: false } });
  });

  test('that is live already is 200 and a duplicate, without a reason', () => {
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
  ])('that is over $what says why', ({ over, reason }) => {
    expect(read(launchAnswer({ record: over, duplicate: true })).body).toEqual({
      ...body,
      status: 'failed',
      duplicate: true,
      reason,
    });
  });

  test('whose job was completed first has neither profile nor cluster, and says so', () => {
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

test('an answer about a launch without a plan is about its id alone', () => {
  expect(subjectOf({ launchId })).toEqual({ launchId });
});

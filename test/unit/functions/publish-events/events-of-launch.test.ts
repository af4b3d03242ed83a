import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { completeToken } from '../../../../functions/domain/completed-token.ts';
import type { LaunchRecord } from '../../../../functions/domain/launch-record.ts';
import { lifecycleDetails } from '../../../../functions/domain/lifecycle-events.ts';
import { agentReady, eventsOfLaunch } from '../../../../functions/publish-events/events-of-launch.ts';
import { endingOf, epochMs, planOf, recordOf, signalOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';

const launchId = 'github-1-2-1';
const subject = {
  launchId,
  generation: 1,
  agentName: 'davit-github-1-2-1',
  profile: 'linux',
  cluster: 'sandbox',
  namespace: 'davit-agents',
};
const second = planOf(launchId, { generation: 2, agentName: 'davit-github-1-2-1-r2' });
const evicted = {
  agentName: 'davit-github-1-2-1',
  code: 'PodEvicted',
  message: 'PodEvicted: low on memory',
  endedAtEpochMs: epochMs + 3000,
};

const asked = recordOf(launchId);
const relaunched: LaunchRecord = { ...asked, plan: second, generations: [evicted] };
const connected: LaunchRecord = { ...relaunched, status: 'connected', connectedAtEpochMs: epochMs + 9000 };
const ended: LaunchRecord = { ...connected, status: 'cleaning', ending: endingOf({ atEpochMs: epochMs + 20_000 }) };
const cleaned: LaunchRecord = { ...ended, status: 'failed', cleanedAtEpochMs: epochMs + 21_500 };

describe("of a launch's record it is told", () => {
  test('that it is there: the launch was asked for', () => {
    expect(eventsOfLaunch(undefined, asked)).toEqual([
      {
        type: 'LaunchRequested',
        detail: { id: 'github-1-2-1/1/LaunchRequested', ...subject, at: '2026-01-01T00:00:00.000Z' },
      },
    ]);
  });

  test("that it has another generation, by the new one's name", () => {
    expect(eventsOfLaunch(asked, relaunched)).toEqual([
      {
        type: 'LaunchRelaunched',
        detail: {
          ...subject,
          id: 'github-1-2-1/2/LaunchRelaunched',
          generation: 2,
          agentName: 'davit-github-1-2-1-r2',
          at: '2026-01-01T00:00:03.000Z',
          endedAgentName: 'davit-github-1-2-1',
          code: 'PodEvicted',
          message: 'PodEvicted: low on memory',
        },
      },
    ]);
  });

  test('that its agent has connected, and after how long', () => {
    expect(eventsOfLaunch(relaunched, connected)).toMatchObject([
      { type: 'AgentConnected', detail: { id: 'github-1-2-1/2/AgentConnected', timeToAgentMs: 9000 } },
    ]);
  });

  test('that it failed, and that its agent had connected', () => {
    expect(eventsOfLaunch(connected, ended)).toMatchObject([
      {
        type: 'LaunchFailed',
        detail: { id: 'github-1-2-1/2/LaunchFailed', code: 'ImagePullFailed', by: 'PollHostIP', connected: true },
      },
    ]);
  });

  test('that it was terminated before its agent had connected', () => {
    const ending = endingOf({ outcome: 'terminated', code: 'Terminated', message: 'deleted', by: 'DELETE /launches' });

    expect(eventsOfLaunch(asked, { ...asked, status: 'cleaning', ending })).toMatchObject([
      { type: 'LaunchTerminated', detail: { code: 'Terminated', by: 'DELETE /launches', connected: false } },
    ]);
  });

  test('that everything is gone, and how long that took', () => {
    expect(eventsOfLaunch(ended, cleaned)).toMatchObject([
      { type: 'LaunchCleaned', detail: { outcome: 'failed', cleanUpMs: 1500 } },
    ]);
  });
});

describe('nothing is told', () => {
  test('of a change of anything else', () => {
    expect(eventsOfLaunch(connected, { ...connected, signal: signalOf() })).toEqual([]);
  });

  test('of a job that was over before it was asked for', () => {
    expect(eventsOfLaunch(undefined, tombstoneOf(launchId))).toEqual([]);
  });
});

const life = [undefined, asked, relaunched, connected, ended, cleaned] as const;

test('changes that are seen as one tell the same as each by itself', () => {
  const all = eventsOf(life);

  fc.assert(
    fc.property(fc.subarray([1, 2, 3, 4], { maxLength: 4 }), (seen) => {
      const some = [life[0], ...seen.map((index) => life[index]), life[5]];

      // The agent that is told of is the latest that is known.
      const ids = (events: typeof all) => events.map(({ type }) => type);
      expect(ids(eventsOf(some))).toEqual(ids(all));
    }),
  );
});

function eventsOf(records: readonly (LaunchRecord | undefined)[]) {
  return records.flatMap((after, index) =>
    after === undefined || index === 0 ? [] : eventsOfLaunch(records[index - 1], after),
  );
}

test('every event is one of the documented', () => {
  for (const { type, detail } of eventsOf(life)) expect(lifecycleDetails[type].parse(detail)).toEqual(detail);
});

test('a moment that is before the one that it is counted from is no time', () => {
  const early = { ...connected, connectedAtEpochMs: epochMs - 40 };

  expect(eventsOfLaunch(relaunched, early)).toMatchObject([{ detail: { timeToAgentMs: 0 } }]);
});

test('an agent is ready under the generation that its token is of', () => {
  const token = completeToken({
    agentName: 'davit-github-1-2-1-r2',
    launchId,
    host: '10.0.0.7',
    port: 30_080,
    tls: true,
    publishedAtEpochMs: epochMs + 4000,
    expiresAtEpochMs: epochMs + 600_000,
  });

  expect(agentReady(token, planOf(launchId))).toEqual({
    type: 'AgentReady',
    detail: {
      ...subject,
      id: 'github-1-2-1/2/AgentReady',
      generation: 2,
      agentName: 'davit-github-1-2-1-r2',
      at: '2026-01-01T00:00:04.000Z',
      host: '10.0.0.7',
      port: 30_080,
      tls: true,
      expiresAt: '2026-01-01T00:10:00.000Z',
    },
  });
});

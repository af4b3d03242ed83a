import * as fc from 'fast-check';
import { lifecycleDetails } from '../../../../core/events/lifecycle-events.ts';
import { completeToken } from '../../../../core/launch/completed-token.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { agentPlaced, eventsOfLaunch } from '../../../../functions/publish-events/events-of-launch.ts';
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
const job = { name: 'build', repository: 'acme/app', workflow: 'ci', runId: 40, attempt: 1 };
const bound = { jobKey: 'github/7/9/1', sinceEpochMs: epochMs + 13_000, url: 'https://ci.example/9' };
const running: LaunchRecord = {
  ...connected,
  runs: { ...bound, job: { ...job, queuedAtEpochMs: epochMs - 1000, startedAtEpochMs: epochMs + 12_000 } },
};
const ran: LaunchRecord = { ...running, ran: { conclusion: 'success', atEpochMs: epochMs + 19_000 } };
const ended: LaunchRecord = { ...ran, status: 'cleaning', ending: endingOf({ atEpochMs: epochMs + 20_000 }) };
const cleaned: LaunchRecord = { ...ended, status: 'failed', cleanedAtEpochMs: epochMs + 21_500 };

const inSecond = { ...subject, generation: 2, agentName: 'davit-github-1-2-1-r2' };
const moved = { ...evicted, cluster: 'sandbox', code: 'ClusterAway', message: 'ClusterAway: for 60 s' };
const byHand = endingOf({ outcome: 'terminated', code: 'Terminated', message: 'deleted', by: 'DELETE /launches' });

test.each<[when: string, before: LaunchRecord | undefined, after: LaunchRecord, type: string, detail: object]>([
  [
    'it appears: the launch was requested',
    undefined,
    asked,
    'LaunchRequested',
    { id: 'github-1-2-1/1/LaunchRequested', ...subject, at: '2026-01-01T00:00:00.000Z' },
  ],
  [
    'it has another generation, under the new name',
    asked,
    relaunched,
    'LaunchRelaunched',
    {
      ...inSecond,
      id: 'github-1-2-1/2/LaunchRelaunched',
      at: '2026-01-01T00:00:03.000Z',
      endedAgentName: 'davit-github-1-2-1',
      code: 'PodEvicted',
      message: 'PodEvicted: low on memory',
    },
  ],
  [
    "its agent runs a job, with the time in the queue by its CI system's clock",
    connected,
    running,
    'JobStarted',
    {
      ...inSecond,
      id: 'github-1-2-1/2/JobStarted',
      at: '2026-01-01T00:00:12.000Z',
      job: { key: 'github/7/9/1', ...job, url: 'https://ci.example/9' },
      queuedMs: 13_000,
    },
  ],
])("a launch's record makes exactly this event when %s", (_when, before, after, type, detail) => {
  expect(eventsOfLaunch(before, after)).toEqual([{ type, detail }]);
});

test.each<[when: string, before: LaunchRecord, after: LaunchRecord, type: string, detail: object]>([
  [
    'it moves, with the cluster that it left',
    asked,
    { ...asked, plan: { ...second, cluster: 'other' }, generations: [moved] },
    'LaunchRelaunched',
    { cluster: 'other', endedCluster: 'sandbox', code: 'ClusterAway' },
  ],
  [
    'its agent connects, with the time until then',
    relaunched,
    connected,
    'AgentConnected',
    { id: 'github-1-2-1/2/AgentConnected', timeToAgentMs: 9000 },
  ],
  [
    'its agent connects, by a clock that is behind, after no time',
    relaunched,
    { ...connected, connectedAtEpochMs: epochMs - 40 },
    'AgentConnected',
    { timeToAgentMs: 0 },
  ],
  [
    'the job is over, with its outcome and its duration',
    running,
    ran,
    'JobFinished',
    { id: 'github-1-2-1/2/JobFinished', job: { name: 'build' }, conclusion: 'success', ranMs: 7000 },
  ],
  [
    'it fails, with whether its agent had connected',
    ran,
    ended,
    'LaunchFailed',
    {
      id: 'github-1-2-1/2/LaunchFailed',
      code: 'ImagePullFailed',
      by: 'PollHostIP',
      actor: { kind: 'davit', name: 'PollHostIP' },
      connected: true,
    },
  ],
  [
    'it is terminated before its agent has connected',
    asked,
    { ...asked, status: 'cleaning', ending: byHand },
    'LaunchTerminated',
    { code: 'Terminated', by: 'DELETE /launches', connected: false },
  ],
  [
    'everything is gone, with the time until then',
    ended,
    cleaned,
    'LaunchCleaned',
    { outcome: 'failed', cleanUpMs: 1500 },
  ],
  [
    'objects of it may be left in a cluster that davit.yaml has no more',
    ended,
    { ...ended, status: 'failed', left: { clusters: ['old'], atEpochMs: epochMs + 21_500 } },
    'LaunchLeft',
    { id: 'github-1-2-1/2/LaunchLeft', outcome: 'failed', clusters: ['old'] },
  ],
])("a launch's record makes an event when %s", (_when, before, after, type, detail) => {
  expect(eventsOfLaunch(before, after)).toMatchObject([{ type, detail }]);
});

test('a run of a job about which nothing else is known makes an event without a time in the queue', () => {
  const runs = { jobKey: 'github/7/9/1', sinceEpochMs: epochMs };

  const [event] = eventsOfLaunch(connected, { ...connected, runs });

  expect(event).toMatchObject({ type: 'JobStarted', detail: { at: '2026-01-01T00:00:00.000Z' } });
  expect(event?.detail).not.toHaveProperty('queuedMs');
});

test('there is no event for any other change, or for a job that was over before its launch was requested', () => {
  expect(eventsOfLaunch(connected, { ...connected, signal: signalOf() })).toEqual([]);
  expect(eventsOfLaunch(undefined, tombstoneOf(launchId))).toEqual([]);
});

const life = [undefined, asked, relaunched, connected, running, ran, ended, cleaned] as const;

test('several changes at once have the same events as each by itself', () => {
  const all = eventsOf(life);

  fc.assert(
    fc.property(fc.subarray([1, 2, 3, 4, 5, 6]), (seen) => {
      const some = [life[0], ...seen.map((index) => life[index]), life[7]];

      // The event has the latest known agent.
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

test('every event is documented', () => {
  for (const { type, detail } of eventsOf(life)) expect(lifecycleDetails[type].parse(detail)).toEqual(detail);
});

test('an agent becomes ready under the generation of its token', () => {
  const token = completeToken({
    agentName: 'davit-github-1-2-1-r2',
    launchId,
    host: '10.0.0.7',
    port: 30_080,
    tls: true,
    publishedAtEpochMs: epochMs + 4000,
    expiresAtEpochMs: epochMs + 600_000,
  });

  expect(agentPlaced(token, planOf(launchId))).toEqual({
    type: 'AgentPlaced',
    detail: {
      ...subject,
      id: 'github-1-2-1/2/AgentPlaced',
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

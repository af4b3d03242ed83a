import { clustersOf, type Generation, LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const nowEpochMs = Date.parse('2026-11-22T12:00:00Z');
const plan = planLaunch(makeProfile(), { launchId: 'github-1-2-1' }, nowEpochMs);
const ended: Generation = {
  agentName: 'davit-github-1-2-1',
  cluster: 'west',
  code: 'PodEvicted',
  message: 'why',
  endedAtEpochMs: nowEpochMs,
};

test("a reader of a launch's record gets all that was written", () => {
  const record: LaunchRecord = {
    ...newRecord(plan),
    generations: [ended],
    signal: { code: 'ImagePullFailed', container: 'agent', detail: 'why', sinceEpochMs: nowEpochMs },
    registration: { nonce: 'once', begunAtEpochMs: nowEpochMs, count: 2 },
    retiring: { reason: 'idle', sinceEpochMs: nowEpochMs },
    left: { clusters: ['west'], atEpochMs: nowEpochMs },
  };

  expect(LaunchRecord.parse(record)).toEqual(record);
});

test('a launch may have objects in the clusters of all its generations, the present one first', () => {
  const { cluster: _cluster, ...byFirstVersion } = ended;

  expect(clustersOf({ plan, generations: [ended, byFirstVersion, ended] })).toEqual(['sandbox', 'west']);
  expect(clustersOf({ plan })).toEqual(['sandbox']);
  expect(clustersOf({})).toEqual([]);
});

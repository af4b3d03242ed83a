import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { launchView } from '../../../../functions/launches/launch-view.ts';
import { tombstone } from '../../../../logic/lifecycle/tombstone.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import { testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const launchId = 'github-1-2-1';
const record = newRecord(planLaunch(makeProfile(), { launchId }, testNowEpochMs));
const ending = endingOf({ atEpochMs: testNowEpochMs });

test('a launch that may have left objects in dropped clusters shows which, and since when', () => {
  const left = { clusters: ['east', 'west'], atEpochMs: testNowEpochMs };

  expect(launchView({ ...record, left }, testNowEpochMs)).toMatchObject({
    left: { clusters: ['east', 'west'], at: '2026-06-01T10:00:00.000Z' },
  });
});

test('a code of a later version is shown without an explanation', () => {
  const { ending: shown } = launchView({ ...record, ending: { ...ending, code: 'LaterCode' } }, testNowEpochMs);

  expect(shown).toMatchObject({ code: 'LaterCode', at: '2026-06-01T10:00:00.000Z' });
  expect(shown).not.toHaveProperty('means');
});

test('a job that was over before its launch was requested shows the name that its agent would have', () => {
  const shown = launchView(tombstone(launchId, ending), testNowEpochMs);

  expect(shown).toMatchObject({ agentName: `davit-${launchId}`, status: 'failed' });
  expect(shown).not.toHaveProperty('plan');
});

test("a run without the CI system's words shows since when davit knows of it", () => {
  const runs = { jobKey: 'github/1/2/1', sinceEpochMs: testNowEpochMs + 1000 };

  const { job } = launchView({ ...tombstone(launchId, ending), runs }, testNowEpochMs);

  expect(job).toEqual({ jobKey: 'github/1/2/1', startedAt: '2026-06-01T10:00:01.000Z' });
});

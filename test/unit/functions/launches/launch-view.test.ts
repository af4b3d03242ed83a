import { newRecord, nextGeneration, planLaunch } from '../../../../core/launch/plan-launch.ts';
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

test('the job that requested a launch is shown with its plan, and the one that its agent runs by itself', () => {
  const job = { name: 'build', repository: 'acme/app', workflow: 'ci', runId: 40, attempt: 1 };
  const plan = planLaunch(makeProfile(), { launchId, jobKey: 'github/1/2/1', job }, testNowEpochMs);
  const runs = {
    jobKey: 'github/1/9/1',
    sinceEpochMs: testNowEpochMs + 1000,
    job: { ...job, name: 'test', queuedAtEpochMs: testNowEpochMs - 2000 },
    url: 'https://ci.example/9',
  };
  const running = { ...newRecord(plan), runner: { id: 1, name: 'davit-0a1b2c3d-api' }, runs };
  const ran = { conclusion: 'success', atEpochMs: testNowEpochMs + 61_000 };

  const whileItRuns = launchView(running, testNowEpochMs);
  const finished = launchView({ ...running, ran }, testNowEpochMs);

  const shown = {
    jobKey: 'github/1/9/1',
    ...job,
    name: 'test',
    queuedAt: '2026-06-01T09:59:58.000Z',
    url: 'https://ci.example/9',
    startedAt: '2026-06-01T10:00:01.000Z',
    agentName: plan.agentName,
    runner: 'davit-0a1b2c3d-api',
  };
  expect(whileItRuns.plan).toMatchObject({ jobKey: 'github/1/2/1', job });
  expect(whileItRuns.job).toEqual(shown);
  expect(finished.job).toEqual({ ...shown, conclusion: 'success', finishedAt: '2026-06-01T10:01:01.000Z' });
});

test('a launch in clean-up shows why, since when, and when it was requested again, until all is gone', () => {
  const asked = { status: 'cleaning', ending, cleanUpAskedAtEpochMs: testNowEpochMs + 120_000 } as const;
  const cleanedAtEpochMs = testNowEpochMs + 200_000;

  const shown = launchView({ ...record, ...asked }, testNowEpochMs + 180_000);
  const over = launchView({ ...record, ...asked, status: 'failed', cleanedAtEpochMs }, testNowEpochMs + 210_000);

  expect(shown.cleaning).toEqual({
    because: ending.message,
    since: '2026-06-01T10:00:00.000Z',
    forSeconds: 180,
    askedAgainAt: '2026-06-01T10:02:00.000Z',
  });
  expect(over).toMatchObject({ status: 'failed', cleanedAt: '2026-06-01T10:03:20.000Z' });
  expect(over).not.toHaveProperty('cleaning');
});

test("the diagnostics of a failed launch's Pod are shown, with the moments of its Events", () => {
  const event = { type: 'Normal', reason: 'Started', message: 'Container started', count: 1 };
  const events = [{ ...event, lastSeenAtEpochMs: testNowEpochMs - 1000 }, event];
  const others = { log: { container: 'agent', text: 'cannot open /work\n' }, unread: [] };

  const { diagnostics } = launchView(
    { ...record, diagnostics: { atEpochMs: testNowEpochMs + 1000, events, ...others } },
    testNowEpochMs,
  );

  const shownEvents = [{ ...event, lastSeenAt: '2026-06-01T09:59:59.000Z' }, event];
  expect(diagnostics).toEqual({ at: '2026-06-01T10:00:01.000Z', events: shownEvents, ...others });
});

describe('a launch that was relaunched twice', () => {
  const first = planLaunch(makeProfile(), { launchId }, testNowEpochMs);
  const second = nextGeneration(first, testNowEpochMs + 30_000);
  const third = nextGeneration(second, testNowEpochMs + 90_000);
  const evicted = {
    agentName: first.agentName,
    code: 'PodEvicted',
    message: 'PodEvicted: The node was low on resource: memory.',
    endedAtEpochMs: second.startedAtEpochMs,
    timeline: { serviceMs: 50 },
  };
  const { startedAtEpochMs: endedAtEpochMs } = third;
  const lost = {
    agentName: second.agentName,
    code: 'NodeLost',
    message: 'NodeLost: node-1 was shut down',
    endedAtEpochMs,
  };
  const relaunched = { ...newRecord(first), plan: third, generations: [evicted, lost] };

  test('shows its present agent, why it was relaunched, and when an earlier agent passed its steps', () => {
    const shown = launchView(relaunched, testNowEpochMs);

    expect(shown).toMatchObject({
      agentName: `davit-${launchId}-r3`,
      status: 'launching',
      requestedAt: '2026-06-01T10:00:00.000Z',
      plan: { generation: 3, maxRelaunches: 2, startedAt: '2026-06-01T10:01:30.000Z' },
    });
    expect(shown.generations).toEqual([
      {
        agentName: `davit-${launchId}`,
        code: 'PodEvicted',
        message: 'PodEvicted: The node was low on resource: memory.',
        means: 'The Pod was evicted: by the eviction API (a drain, an autoscaler) or by a kubelet short of a resource.',
        advice: expect.stringContaining('resource requests that its node can meet'),
        endedAt: '2026-06-01T10:00:30.000Z',
        timeline: { startedAt: '2026-06-01T10:00:00.000Z', serviceAt: '2026-06-01T10:00:00.050Z' },
      },
      {
        agentName: `davit-${launchId}-r2`,
        code: 'NodeLost',
        message: 'NodeLost: node-1 was shut down',
        means: "The Pod's node went away: it was shut down, reclaimed, deleted or tainted, or it stopped reporting.",
        advice: expect.stringContaining('spot capacity'),
        endedAt: '2026-06-01T10:01:30.000Z',
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain('EpochMs');
  });

  test('shows when its present generation passed its steps', () => {
    const steps = { serviceMs: 30, portMs: 40, podMs: 90, scheduledMs: -90, containersMs: 4000 };

    const { timeline } = launchView(
      { ...relaunched, timeline: { ...steps, hostMs: 1500, tokenMs: 1600 } },
      testNowEpochMs,
    );

    expect(timeline).toEqual({
      startedAt: '2026-06-01T10:01:30.000Z',
      serviceAt: '2026-06-01T10:01:30.030Z',
      portAt: '2026-06-01T10:01:30.040Z',
      podAt: '2026-06-01T10:01:30.090Z',
      scheduledAt: '2026-06-01T10:01:29.910Z',
      containersAt: '2026-06-01T10:01:34.000Z',
      hostAt: '2026-06-01T10:01:31.500Z',
      tokenAt: '2026-06-01T10:01:31.600Z',
    });
  });
});

import { type CiScope, scopeText } from '../../../../core/ci/ci-scope.ts';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { afterCalls, beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import { LinuxWorld, linuxProfile } from './linux-world.ts';

const acme = { organization: 'acme' };
const minuteMs = 60_000;
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open({ name: 'small' }, [linuxProfile({ name: 'large', labels: ['linux', 'large'] })]);
});

const jobIdOf = (jobId: number | string) => ({ ciSystem: 'gitea', repositoryId: 7, jobId, attempt: 1 });

describe('a queued job without an agent', () => {
  test('gets one when two looks agree, and no sooner', async () => {
    const { id } = world.queueUnseen();

    const first = await world.nextRound();
    const second = await world.nextRound();
    const third = await world.nextRound();

    const subject = `gitea-7-${id}-1`;
    expect(first.repairs).toEqual([]);
    expect(second.repairs).toEqual([
      expect.objectContaining({ ciSystem: 'gitea', repair: 'LaunchRequested', subject }),
    ]);
    expect(third.repairs).toEqual([]);
    expect(second).toMatchObject({
      complete: true,
      seen: [{ ciSystem: 'gitea', queued: 1, idle: 0, oldestQueuedSeconds: 120 }],
    });
    expect(await world.onlyLaunch()).toMatchObject({
      launchId: subject,
      plan: { profile: 'small', jobKey: `gitea/7/${id}/1` },
    });
  });

  test('gets one even when rounds come every few seconds', async () => {
    world.queueUnseen();

    expect(await world.repairsIn(6, 5000)).toEqual(['LaunchRequested']);
  });

  test('gets none when a look in between found nothing missing', async () => {
    const job = world.queueUnseen();
    await world.reconcile();
    world.nowEpochMs += 5000;
    world.ci.complete(job);
    await world.reconcile();
    world.nowEpochMs += 16_000;
    world.queueUnseen();

    const { repairs } = await world.reconcile();

    expect(repairs).toEqual([]);
  });

  test('gets one although the last look was stored before the clock was set back an hour', async () => {
    const rightMs = world.nowEpochMs;
    world.nowEpochMs = rightMs + 3_600_000;
    world.queueUnseen({ queuedAtEpochMs: rightMs });
    await world.nextRound();
    world.nowEpochMs = rightMs;

    const repairs = [await world.nextRound(), await world.nextRound()].map((round) => round.repairs.length);

    expect(repairs).toEqual([0, 1]);
  });

  test('whose own agent runs another job gets a replacement, once, from two rounds at once', async () => {
    const taken = world.queueUnseen();
    const { job, runnerId } = await world.launchFor();
    expect(world.ci.assign(runnerId)).toBe(taken);

    await world.nextRound();
    world.nowEpochMs += minuteMs;
    const rounds = await Promise.all([world.reconcile(), world.reconcile()]);

    const replacement = `gitea-7-${job.id}-1-x1`;
    expect(new Set(rounds.flatMap(({ repairs }) => repairs.map(({ subject }) => subject)))).toEqual(
      new Set([replacement]),
    );
    expect(world.requested).toEqual([`gitea-7-${job.id}-1`, replacement]);
  });

  test('whose launch was counted and never written gets that launch', async () => {
    const job = world.queueUnseen();
    const restore = refuseCalls(world.deps.launches, 'request', new Error('killed'));
    await expect(world.deliver('queued', job)).rejects.toThrow('killed');
    restore();

    await world.repairsIn(2);

    expect(world.requested).toEqual([`gitea-7-${job.id}-1`]);
  });

  test('that no profile matches has the reason in its record', async () => {
    const { id } = world.queueUnseen({ labels: ['windows'] });

    await world.repairsIn(2);

    expect(await world.launches()).toEqual([]);
    expect(await world.deps.jobs.get(jobIdOf(id))).toMatchObject({
      notLaunched: "no profile has all of the job's labels: windows",
    });
  });

  test('that is bound to an agent gets none, even if the function that bound it died before it noted that', async () => {
    const { job, launchId } = await world.launchFor();
    const { runner } = await world.onlyLaunch();
    const restore = refuseCalls(world.deps.jobs, 'note', new TransientError('StoreUnavailable', 'throttled'));
    await world.deliver('in_progress', { ...job, ...(runner && { runner }) }).catch(() => undefined);
    restore();

    await world.repairsIn(2);

    expect((await world.onlyLaunch()).runs?.jobKey).toBe(`gitea/7/${job.id}/1`);
    expect(world.requested).toEqual([launchId]);
  });
});

describe('surplus agents', () => {
  test('of one size do not serve jobs of another, and a replacement has the size of its job', async () => {
    world = await LinuxWorld.open({ sizes: { cpu: { max: '8' } } });
    const { job: cancelled, launchId: unneeded } = await world.launchFor({ labels: ['linux', 'davit/cpu=4'] });
    cancelled.status = 'cancelled';
    const waiting = world.queueUnseen({ labels: ['davit/cpu=8', 'linux'] });

    await world.nextRound();
    const { repairs } = await world.nextRound();

    const subject = `gitea-7-${waiting.id}-1`;
    expect(repairs).toMatchObject([
      { repair: 'LaunchRequested', subject },
      { repair: 'SurplusRetired', subject: unneeded },
    ]);
    expect((await world.deps.launches.get(subject))?.plan).toMatchObject({
      size: { cpu: '8' },
      join: { labels: ['linux', 'davit/cpu=8'] },
    });
    await world.end(subject);
    await world.repairsIn(3);
    expect((await world.deps.launches.get(`${subject}-x1`))?.plan?.size).toEqual({ cpu: '8' });
  });

  test('do not include an agent whose job could not be stored', async () => {
    await world.launchFor();
    refuseCalls(world.reconcileDeps.jobs, 'note', new Error('throttled'));

    const rounds = [await world.nextRound(), await world.nextRound(), await world.nextRound()];

    expect(rounds.flatMap(({ repairs }) => repairs)).toEqual([]);
    expect(rounds[0]?.errors).toMatchObject([{ message: 'throttled' }]);
  });

  test('are left alone when one of them gets a job after the list was read', async () => {
    const { job, runnerId } = await world.launchFor();
    job.status = 'cancelled';
    await world.nextRound();
    const restore = afterCalls(world.ci, 'listJobs', async () => {
      restore();
      world.queueUnseen();
      await world.start(runnerId);
    });

    expect(await world.repairsIn(1)).toEqual([]);
  });

  test('with an unfinished retirement are retired again after two minutes', async () => {
    const { job, launchId } = await world.launchFor();
    job.status = 'cancelled';
    await world.deps.registrations.retire(launchId, 'not wanted', world.nowEpochMs);

    const early = await world.nextRound();
    const { repairs } = await world.nextRound();

    expect(early.repairs).toEqual([]);
    expect(repairs).toMatchObject([{ repair: 'RetirementRepeated', reason: 'not wanted' }]);
  });
});

describe('a place that the CI system refuses to show', () => {
  function hide(place: string): void {
    const check = (scope: CiScope) => {
      if (scopeText(scope) === place) throw new TerminalError('CiRefused', `gitea: ${place}: 404`);
    };
    beforeCalls(world.ci, 'listJobs', check);
    beforeCalls(world.ci, 'findRunners', check);
  }

  test('is reported, and the others are repaired', async () => {
    await world.deps.jobs.noteRepository('gitea', { repository: { owner: 'ann', name: 'gone' } }, world.nowEpochMs);
    hide('ann/gone');
    const { id } = world.queueUnseen();

    await world.nextRound();
    const { errors, repairs } = await world.nextRound();

    expect(errors).toEqual([{ subject: 'jobs and runners of ann/gone', message: expect.stringContaining('404') }]);
    expect(repairs).toMatchObject([{ repair: 'LaunchRequested', subject: `gitea-7-${id}-1` }]);
  });

  test('loses no agent, because nobody knows which jobs wait there', async () => {
    await world.launchFor();
    hide('acme');

    expect(await world.repairsIn(3)).toEqual([]);
    expect(world.retirements).toEqual([]);
  });
});

test('a running job is bound to its agent by the list when its webhooks were lost', async () => {
  const { job, launchId, runnerId } = await world.launchFor();
  world.ci.assign(runnerId);

  await world.nextRound();

  expect((await world.onlyLaunch()).runs).toMatchObject({ jobKey: `gitea/7/${job.id}/1` });
  expect(await world.deps.jobs.get(jobIdOf(job.id))).toMatchObject({ ranBy: launchId, status: 'in_progress' });
});

test('an agent that hangs after its job, whose `completed` is lost, is ended once the CI system says that both are over', async () => {
  const { job, launchId } = await world.run();
  world.ci.complete(job);

  const early = await world.repairsIn(2);
  const { repairs } = await world.nextRound();
  await world.retire();

  expect(early).toEqual([]);
  expect(repairs).toMatchObject([{ repair: 'CompletionMissed', subject: launchId }]);
  expect(await world.deps.launches.get(launchId)).toMatchObject({
    status: 'cleaning',
    ending: {
      outcome: 'terminated',
      by: 'gitea workflow_job completed (no conclusion)',
      actor: { kind: 'ciSystem', name: 'gitea' },
    },
    deregisteredAtEpochMs: world.nowEpochMs,
  });
  expect(world.killed).toEqual([]);
});

describe('a runner without a launch', () => {
  const ghost = (number = 1, labels = ['linux']) => ({ name: `davit-0a1b2c3d-gitea-7-${number}-1`, labels });

  test('is stopped, awaited and removed, unless it belongs to another davit or is about to register', async () => {
    const { runner } = await world.ci.register(acme, ghost());
    const foreign = await world.ci.register(acme, { name: 'davit-99999999-gitea-7-1-1', labels: ['linux'] });
    await world.queue();
    const { launchId, plan } = await world.onlyLaunch();
    await world.deps.registrations.begin({ launchId, agentName: plan?.agentName ?? '' }, 'nonce', world.nowEpochMs);
    const young = await world.ci.register(acme, { name: `davit-0a1b2c3d-${launchId}`, labels: ['linux'] });
    world.ci.asked.length = 0;

    const { repairs } = await world.nextRound();

    expect(repairs).toMatchObject([{ repair: 'GhostRemoved', subject: runner.name }]);
    expect([...world.ci.runners.keys()]).toEqual([foreign.runner.id, young.runner.id]);
    expect(world.ci.asked.filter((what) => what.endsWith(` ${runner.id}`))).toEqual([
      `stopAssigning ${runner.id}`,
      `removeIfIdle ${runner.id}`,
    ]);
  });

  test('that gets a job while it is removed stays', async () => {
    const { runner } = await world.ci.register(acme, ghost(1, ['other']));
    const waited: number[] = [];
    world.reconcileDeps.sleep = async (ms) => {
      waited.push(ms);
      // Gitea had looked at the runner before davit stopped it.
      Object.assign(world.ci.queue({ labels: ['other'] }), { status: 'in_progress', runner });
    };

    const { repairs } = await world.reconcile();

    expect(waited).toEqual([world.ci.settleMs]);
    expect(repairs).toEqual([]);
    expect(world.ci.runners.has(runner.id)).toBe(true);
  });

  test('stays when its CI system still gives it jobs, because it could not be stopped', async () => {
    const given = await world.ci.register(acme, ghost(1));
    const stopped = await world.ci.register(acme, ghost(2));
    beforeCalls(world.ci, 'stopAssigning', (_place, runnerId) => {
      if (runnerId === given.runner.id) throw new TerminalError('CiRefused', 'gitea: 403');
    });

    const { repairs } = await world.nextRound();

    expect(repairs).toMatchObject([{ repair: 'GhostRemoved', subject: stopped.runner.name }]);
    expect(world.ci.runners.has(given.runner.id)).toBe(true);
  });

  test('is left to the next round when there is no time, but each round removes one', async () => {
    for (const number of [1, 2, 3]) await world.ci.register(acme, ghost(number));
    // The wait for the CI system uses up the rest of the time.
    world.reconcileDeps.sleep = async () => void (world.nowEpochMs += 40_000);

    const rounds = [await world.nextRound(), await world.nextRound()];

    expect(rounds.map(({ complete, repairs }) => [complete, repairs.length])).toEqual([
      [false, 1],
      [false, 1],
    ]);
  });
});

describe('a CI system that does not answer', () => {
  test('causes no repair, and is reported', async () => {
    world.queueUnseen();
    await world.nextRound();
    world.ci.isDown = true;

    const report = await world.nextRound();

    expect(report).toMatchObject({ complete: false, repairs: [], seen: [] });
    expect(report.errors.map(({ subject }) => subject)).toContain('jobs and runners of acme');
    expect(report.errors.every(({ message }) => message.includes('502'))).toBe(true);
    expect(world.requested).toEqual([]);
  });

  test.each([
    {
      what: 'the jobs of a place causes no repair there: half a list looks like surplus',
      list: 'listJobs',
      repairs: [],
    },
    { what: 'its runners stops no repair without them', list: 'findRunners', repairs: ['SurplusRetired'] },
  ] as const)('for $what', async ({ list, repairs }) => {
    const { job } = await world.launchFor();
    refuseCalls(world.ci, list, new Error('reset'));
    job.status = 'cancelled';

    expect(await world.repairsIn(2)).toEqual(repairs);
    expect(world.retirements).toHaveLength(repairs.length);
  });
});

test('a davit without a credential for any CI system reconciles nothing', async () => {
  const launches = Object.assign(Object.create(world.deps.launches), {
    list: async () => Promise.reject(new Error('not asked')),
  });

  const report = await new CiWorld([], (deps) => ({ ...deps, launches, ciSystems: [] })).reconcile();

  expect(report).toEqual({ complete: true, seen: [], repairs: [], refused: [], errors: [] });
});

test('while every cluster is away, a job whose launch failed gets no other one, and its record says why', async () => {
  const { id } = await world.queue();
  await world.end(`gitea-7-${id}-1`);
  const [cluster = ''] = world.deps.profiles[0]?.clusters ?? [];
  for (let round = 0; round < 4; round += 1) {
    for (const ms of [0, 3000, 6000]) {
      const at = world.nowEpochMs + ms;
      const when = { beganAtEpochMs: at, endedAtEpochMs: at };
      await world.clusterStates.report({ cluster, kind: 'failed', reason: 'TimedOut', error: 'no answer', ...when });
    }
    expect(await world.repairsIn(1)).toEqual([]);
  }
  const meanwhile = await world.deps.jobs.get(jobIdOf(id));

  await world.clusterStates.report({ cluster, kind: 'works', endedAtEpochMs: world.nowEpochMs + 10_000 });
  const back = await world.nextRound();

  expect(meanwhile?.notLaunched).toMatch(`cluster ${cluster} is away: TimedOut since 2026-11-22T`);
  expect(back.repairs).toMatchObject([{ repair: 'ReplacementRequested', subject: `gitea-7-${id}-1-x1` }]);
});

test('a job that a profile refuses is reported once when reconciling finds it, and one of other runners is not', async () => {
  world.reconcileDeps.profiles = [linuxProfile({ name: 'sized', sizes: { cpu: { max: '8' } } })];
  const { id } = world.queueUnseen({ labels: ['linux', 'davit/cpu=16'] });
  world.queueUnseen({ labels: ['windows'] });

  const [first, second] = [await world.nextRound(), await world.nextRound()];

  expect(first.refused).toMatchObject([
    { id: `gitea/7/${id}/1/JobRefused/Size`, refusal: 'Size', profile: 'sized', label: 'davit/cpu=16' },
  ]);
  expect(second.refused).toEqual([]);
});

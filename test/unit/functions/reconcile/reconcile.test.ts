import { type CiScope, scopeText } from '../../../../core/ci/ci-scope.ts';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const app = { owner: 'acme', name: 'app' };
const minuteMs = 60_000;
let world: CiWorld;

beforeEach(async () => {
  const small = makeProfile({ name: 'small', runner: 'gitea', labels: ['linux'], idleSeconds: 300 });
  const large = makeProfile({ name: 'large', runner: 'gitea', labels: ['linux', 'large'], idleSeconds: 300 });
  world = new CiWorld([small, large]);
  await world.deps.jobs.noteRepository('gitea', { repository: app, organization: 'acme' }, world.nowEpochMs);
});

function queue(labels = ['linux']) {
  return world.ci.queue({ labels, queuedAtEpochMs: world.nowEpochMs });
}

async function fail(launchId: string): Promise<void> {
  const ending = { outcome: 'failed', code: 'ImagePullFailed', message: 'no image', by: 'the state machine' } as const;
  await world.deps.launches.end(launchId, { ...ending, atEpochMs: world.nowEpochMs });
}

describe('a queued job without an agent', () => {
  test('gets one when two looks agree, and no sooner', async () => {
    const { id } = queue();

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

  test("gets none for two looks at the same moment, because a schedule's event may come twice", async () => {
    queue();
    await world.nextRound();
    world.nowEpochMs += 1000;

    const twice = await world.reconcile();
    const next = await world.nextRound();

    expect(twice.repairs).toEqual([]);
    expect(next.repairs).toMatchObject([{ repair: 'LaunchRequested' }]);
  });

  test('gets one even when rounds come every few seconds', async () => {
    queue();

    const repairs = [];
    for (let round = 0; round < 6; round += 1) {
      repairs.push(...(await world.reconcile()).repairs);
      world.nowEpochMs += 5000;
    }

    expect(repairs).toMatchObject([{ repair: 'LaunchRequested' }]);
  });

  test('gets none when a look in between found nothing missing', async () => {
    const job = queue();
    await world.reconcile();
    world.nowEpochMs += 5000;
    world.ci.complete(job);
    await world.reconcile();
    world.nowEpochMs += 16_000;
    queue();

    const { repairs } = await world.reconcile();

    expect(repairs).toEqual([]);
  });

  test('gets one although the last look was stored before the clock was set back an hour', async () => {
    const rightMs = world.nowEpochMs;
    world.nowEpochMs = rightMs + 3_600_000;
    world.ci.queue({ labels: ['linux'], queuedAtEpochMs: rightMs });
    await world.nextRound();
    world.nowEpochMs = rightMs;

    const repairs = [await world.nextRound(), await world.nextRound()].map((round) => round.repairs.length);

    expect(repairs).toEqual([0, 1]);
  });

  test('gets one before a younger job, and both get one', async () => {
    world.nowEpochMs += minuteMs;
    const younger = queue();
    const older = world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs - 30_000 });
    await world.nextRound();

    const { repairs } = await world.nextRound();

    expect(repairs.map(({ subject }) => subject)).toEqual([`gitea-7-${older.id}-1`, `gitea-7-${younger.id}-1`]);
  });

  test('whose own agent runs another job gets a replacement, once, from two rounds at once', async () => {
    const [taken, left] = [queue(), queue()];
    await world.deliver('queued', left);
    await world.connect(await world.onlyLaunch());
    const { runner } = await world.onlyLaunch();
    expect(world.ci.assign(runner?.id ?? 0)).toBe(taken);

    await world.nextRound();
    world.nowEpochMs += minuteMs;
    const rounds = await Promise.all([world.reconcile(), world.reconcile()]);

    const replacement = `gitea-7-${left.id}-1-x1`;
    expect(new Set(rounds.flatMap(({ repairs }) => repairs.map(({ subject }) => subject)))).toEqual(
      new Set([replacement]),
    );
    expect(world.requested).toEqual([`gitea-7-${left.id}-1`, replacement]);
  });

  test('whose launch was counted and never written gets that launch', async () => {
    const job = queue();
    const request = world.deps.launches.request.bind(world.deps.launches);
    world.deps.launches.request = async () => Promise.reject(new Error('killed'));
    await expect(world.deliver('queued', job)).rejects.toThrow('killed');
    world.deps.launches.request = request;
    await world.nextRound();

    await world.nextRound();

    expect(world.requested).toEqual([`gitea-7-${job.id}-1`]);
  });

  test('that no profile matches has the reason in its record', async () => {
    const { id } = queue(['windows']);

    await world.nextRound();
    await world.nextRound();

    expect(await world.launches()).toEqual([]);
    expect(await world.deps.jobs.get({ ciSystem: 'gitea', repositoryId: 7, jobId: id, attempt: 1 })).toMatchObject({
      notLaunched: "no profile has all of the job's labels: windows",
    });
  });

  test('that an event has shown as running gets none, even if an older list contradicts', async () => {
    const job = queue();
    await world.deliver('in_progress', { ...job, runner: { id: 1, name: 'somebody' } });

    await world.nextRound();
    await world.nextRound();

    expect(world.requested).toEqual([]);
  });

  test('that is bound to an agent gets none, even if the function that bound it died before it noted that', async () => {
    const job = queue();
    await world.deliver('queued', job);
    const launch = await world.onlyLaunch();
    await world.connect(launch);
    const { runner } = await world.onlyLaunch();
    const { jobs } = world.deps;
    const note = jobs.note.bind(jobs);
    jobs.note = async () => Promise.reject(new TransientError('StoreUnavailable', 'the table did not answer'));
    await world.deliver('in_progress', { ...job, ...(runner && { runner }) }).catch(() => undefined);
    jobs.note = note;

    await world.nextRound();
    await world.nextRound();

    expect((await world.onlyLaunch()).runs?.jobKey).toBe(`gitea/7/${job.id}/1`);
    expect(world.requested).toEqual([launch.launchId]);
  });
});

describe('surplus agents', () => {
  /** Launches for jobs, and then cancels the jobs without an event. */
  async function launchInVain(count: number): Promise<LaunchRecord[]> {
    for (let index = 0; index < count; index += 1) {
      world.nowEpochMs += 1000;
      const job = queue();
      await world.deliver('queued', job);
      job.status = 'cancelled';
    }
    return (await world.launches()).toSorted((one, other) => one.requestedAtEpochMs - other.requestedAtEpochMs);
  }

  test('are retired when two looks agree: connected ones first, and the newest of them', async () => {
    const [first, second, third] = await launchInVain(3);
    queue(['linux']);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three were launched');
    await world.connect(first);
    await world.connect(second);

    const look = await world.nextRound();
    const { repairs } = await world.nextRound();

    expect(look.repairs).toEqual([]);
    expect(repairs.map(({ repair, subject }) => [repair, subject])).toEqual([
      ['SurplusRetired', second.launchId],
      ['SurplusRetired', first.launchId],
    ]);
    await world.retire();
    expect((await world.onlyLaunch()).launchId).toBe(third.launchId);
  });

  describe('whose jobs the CI system does not show yet', () => {
    /** Launches for a job, and reconciles 2 s later: the list has no job, and the question for the job has no answer. */
    async function nextRoundLate() {
      world.nowEpochMs += minuteMs - 2000;
      const job = queue();
      await world.deliver('queued', job);
      world.nowEpochMs += 2000;
      const listJobs = world.ci.listJobs.bind(world.ci);
      const getJob = world.ci.getJob.bind(world.ci);
      world.ci.listJobs = async () => [];
      world.ci.getJob = async () => Promise.reject(new TransientError('CiUnavailable', 'gitea: 502'));
      const report = await world.reconcile();
      world.ci.listJobs = listJobs;
      world.ci.getJob = getJob;
      return report;
    }

    test('are left alone, even when two looks each lack the job of another one', async () => {
      await nextRoundLate();
      const launch = await world.onlyLaunch();
      await world.connect(launch);
      const job = world.ci.assign((await world.onlyLaunch()).runner?.id ?? 0);
      if (job === undefined) throw new Error('the agent gets the job');
      await world.deliver('in_progress', job);

      const { repairs } = await nextRoundLate();

      expect(repairs).toEqual([]);
    });

    test('keep one agent for each such job, and the others are retired', async () => {
      await launchInVain(2);
      await world.nextRound();

      const { repairs } = await nextRoundLate();

      expect(repairs.map(({ repair }) => repair)).toEqual(['SurplusRetired', 'SurplusRetired']);
    });
  });

  test('are retired beside a new agent whose job the list shows', async () => {
    await launchInVain(2);
    await world.nextRound();
    world.nowEpochMs += minuteMs - 2000;
    await world.deliver('queued', queue());
    world.nowEpochMs += 2000;

    const { repairs } = await world.reconcile();

    expect(repairs.map(({ repair }) => repair)).toEqual(['SurplusRetired', 'SurplusRetired']);
  });

  test('of one size do not serve jobs of another, and a replacement has the size of its job', async () => {
    const sizes = { cpu: { max: '8' } };
    world = new CiWorld([makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 300, sizes })]);
    await world.deps.jobs.noteRepository('gitea', { repository: app, organization: 'acme' }, world.nowEpochMs);
    const cancelled = queue(['linux', 'davit/cpu=4']);
    await world.deliver('queued', cancelled);
    cancelled.status = 'cancelled';
    const unneeded = await world.onlyLaunch();
    await world.connect(unneeded);
    const waiting = queue(['davit/cpu=8', 'linux']);

    await world.nextRound();
    const { repairs } = await world.nextRound();

    const subject = `gitea-7-${waiting.id}-1`;
    expect(repairs).toMatchObject([
      { repair: 'LaunchRequested', subject },
      { repair: 'SurplusRetired', subject: unneeded.launchId },
    ]);
    expect((await world.deps.launches.get(subject))?.plan).toMatchObject({
      size: { cpu: '8' },
      join: { labels: ['linux', 'davit/cpu=8'] },
    });
    await fail(subject);
    for (let round = 0; round < 3; round += 1) await world.nextRound();
    expect((await world.deps.launches.get(`${subject}-x1`))?.plan?.size).toEqual({ cpu: '8' });
  });

  test('do not include an agent whose job could not be stored', async () => {
    const job = queue();
    await world.deliver('queued', job);
    await world.connect(await world.onlyLaunch());
    world.reconcileDeps.jobs.note = async () => Promise.reject(new Error('throttled'));

    const rounds = [await world.nextRound(), await world.nextRound(), await world.nextRound()];

    expect(rounds.flatMap(({ repairs }) => repairs)).toEqual([]);
    expect(rounds[0]?.errors).toMatchObject([{ message: 'throttled' }]);
  });

  test('are left alone when one of them gets a job after the list was read', async () => {
    const [launch] = await launchInVain(1);
    if (launch === undefined) throw new Error('one was launched');
    await world.connect(launch);
    await world.nextRound();
    const listJobs = world.ci.listJobs.bind(world.ci);
    world.ci.listJobs = async (...args) => {
      const before = await listJobs(...args);
      world.ci.listJobs = listJobs;
      queue();
      const { runner } = await world.onlyLaunch();
      const job = world.ci.assign(runner?.id ?? 0);
      if (job !== undefined) await world.deliver('in_progress', job);
      return before;
    };

    const { repairs } = await world.nextRound();

    expect(repairs).toEqual([]);
  });

  test('with an unfinished retirement are retired again after two minutes', async () => {
    const [launch] = await launchInVain(1);
    if (launch === undefined) throw new Error('one was launched');
    await world.connect(launch);
    await world.deps.registrations.retire(launch.launchId, 'not wanted', world.nowEpochMs);

    const early = await world.nextRound();
    const { repairs } = await world.nextRound();

    expect(early.repairs).toEqual([]);
    expect(repairs).toMatchObject([{ repair: 'RetirementRepeated', reason: 'not wanted' }]);
  });
});

describe('a place that the CI system refuses to show', () => {
  function hide(place: string): void {
    const listJobs = world.ci.listJobs.bind(world.ci);
    const findRunners = world.ci.findRunners.bind(world.ci);
    const check = (scope: CiScope) => {
      if (scopeText(scope) === place) throw new TerminalError('CiRefused', `gitea: ${place}: 404`);
    };
    world.ci.listJobs = async (scope, ...others) => (check(scope), listJobs(scope, ...others));
    world.ci.findRunners = async (scope, prefix) => (check(scope), findRunners(scope, prefix));
  }

  test('is reported, and the others are repaired', async () => {
    await world.deps.jobs.noteRepository('gitea', { repository: { owner: 'ann', name: 'gone' } }, world.nowEpochMs);
    hide('ann/gone');
    const { id } = queue();

    await world.nextRound();
    const { errors, repairs } = await world.nextRound();

    expect(errors).toEqual([{ subject: 'jobs and runners of ann/gone', message: expect.stringContaining('404') }]);
    expect(repairs).toMatchObject([{ repair: 'LaunchRequested', subject: `gitea-7-${id}-1` }]);
  });

  test('loses no agent, because nobody knows which jobs wait there', async () => {
    await world.deliver('queued', queue());
    await world.connect(await world.onlyLaunch());
    hide('acme');

    const rounds = [await world.nextRound(), await world.nextRound(), await world.nextRound()];

    expect(rounds.flatMap(({ repairs }) => repairs)).toEqual([]);
    expect(world.retirements).toEqual([]);
  });
});

describe('a running job', () => {
  test('is bound to its agent by the list when its webhooks were lost', async () => {
    const job = queue();
    await world.deliver('queued', job);
    await world.connect(await world.onlyLaunch());
    const { runner, launchId } = await world.onlyLaunch();
    world.ci.assign(runner?.id ?? 0);

    await world.nextRound();

    expect((await world.onlyLaunch()).runs).toMatchObject({ jobKey: `gitea/7/${job.id}/1` });
    expect(await world.deps.jobs.get({ ciSystem: 'gitea', repositoryId: 7, jobId: job.id, attempt: 1 })).toMatchObject({
      ranBy: launchId,
      status: 'in_progress',
    });
  });
});

describe('an agent with a lost `completed` and a process that hangs', () => {
  async function runJob() {
    const job = queue();
    await world.deliver('queued', job);
    await world.connect(await world.onlyLaunch());
    const { runner, launchId } = await world.onlyLaunch();
    world.ci.assign(runner?.id ?? 0);
    await world.deliver('in_progress', job);
    return { job, launchId };
  }

  test('is ended once its CI system says that the job is over and the runner gone', async () => {
    const { job, launchId } = await runJob();
    world.ci.complete(job);

    const early = [await world.nextRound(), await world.nextRound()];
    const { repairs } = await world.nextRound();
    await world.retire();

    expect(early.flatMap((report) => report.repairs)).toEqual([]);
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

  test('is left alone while its runner is registered, whatever the list of jobs says', async () => {
    await runJob();
    world.ci.listJobs = async () => [];

    for (let minute = 0; minute < 10; minute += 1) expect((await world.nextRound()).repairs).toEqual([]);
  });

  test('is left alone while its job is listed, whatever the list of runners says', async () => {
    await runJob();
    world.ci.findRunners = async () => [];

    for (let minute = 0; minute < 10; minute += 1) expect((await world.nextRound()).repairs).toEqual([]);
  });
});

describe('a runner without a launch', () => {
  test('is stopped, awaited and removed, unless it belongs to another davit or is about to register', async () => {
    const scope = { organization: 'acme' };
    const ghost = await world.ci.register(scope, { name: 'davit-0a1b2c3d-gitea-7-1-1', labels: ['linux'] });
    const foreign = await world.ci.register(scope, { name: 'davit-99999999-gitea-7-1-1', labels: ['linux'] });
    await world.deliver('queued', queue());
    const { launchId, plan } = await world.onlyLaunch();
    await world.deps.registrations.begin({ launchId, agentName: plan?.agentName ?? '' }, 'nonce', world.nowEpochMs);
    const young = await world.ci.register(scope, { name: `davit-0a1b2c3d-${launchId}`, labels: ['linux'] });
    world.ci.asked.length = 0;

    const { repairs } = await world.nextRound();

    expect(repairs).toMatchObject([{ repair: 'GhostRemoved', subject: ghost.runner.name }]);
    expect([...world.ci.runners.keys()]).toEqual([foreign.runner.id, young.runner.id]);
    expect(world.ci.asked.filter((what) => what.endsWith(` ${ghost.runner.id}`))).toEqual([
      `stopAssigning ${ghost.runner.id}`,
      `removeIfIdle ${ghost.runner.id}`,
    ]);
  });

  test('that runs a job stays', async () => {
    const ghost = await world.ci.register(
      { organization: 'acme' },
      { name: 'davit-0a1b2c3d-gitea-7-1-1', labels: ['linux'] },
    );
    queue();
    world.ci.assign(ghost.runner.id);

    const { repairs } = await world.nextRound();

    expect(repairs).toEqual([]);
    expect(world.ci.runners.has(ghost.runner.id)).toBe(true);
  });

  test('that gets a job while it is removed stays', async () => {
    const scope = { organization: 'acme' };
    const ghost = await world.ci.register(scope, { name: 'davit-0a1b2c3d-gitea-7-1-1', labels: ['other'] });
    const waited: number[] = [];
    world.reconcileDeps.sleep = async (ms) => {
      waited.push(ms);
      // Gitea had looked at the runner before davit stopped it.
      Object.assign(world.ci.queue({ labels: ['other'] }), { status: 'in_progress', runner: ghost.runner });
    };

    const { repairs } = await world.reconcile();

    expect(waited).toEqual([world.ci.settleMs]);
    expect(repairs).toEqual([]);
    expect(world.ci.runners.has(ghost.runner.id)).toBe(true);
  });

  test('stays for two minutes after its registration began, however long ago its launch was requested', async () => {
    await world.deliver('queued', queue());
    const { launchId, plan } = await world.onlyLaunch();
    if (plan === undefined) throw new Error('the launch has a plan');
    world.nowEpochMs += 10 * minuteMs;
    await world.deps.registrations.begin({ launchId, agentName: plan.agentName }, 'nonce', world.nowEpochMs);
    const scope = { organization: 'acme' };
    const { runner } = await world.ci.register(scope, { name: `davit-0a1b2c3d-${launchId}`, labels: ['linux'] });
    world.nowEpochMs += 2 * minuteMs - 1;

    await world.reconcile();
    const early = world.ci.runners.has(runner.id);
    world.nowEpochMs += 1;
    await world.reconcile();

    expect([early, world.ci.runners.has(runner.id)]).toEqual([true, false]);
  });

  test('stays when its CI system still gives it jobs, because it could not be stopped', async () => {
    const name = (number: number) => `davit-0a1b2c3d-gitea-7-${number}-1`;
    const scope = { organization: 'acme' };
    const [given, stopped] = [
      await world.ci.register(scope, { name: name(1), labels: ['linux'] }),
      await world.ci.register(scope, { name: name(2), labels: ['linux'] }),
    ];
    const stopAssigning = world.ci.stopAssigning.bind(world.ci);
    world.ci.stopAssigning = async (place, runnerId) => {
      if (runnerId === given.runner.id) throw new TerminalError('CiRefused', 'gitea: 403');
      await stopAssigning(place, runnerId);
    };

    const { repairs } = await world.nextRound();

    expect(repairs).toMatchObject([{ repair: 'GhostRemoved', subject: stopped.runner.name }]);
    expect(world.ci.runners.has(given.runner.id)).toBe(true);
  });

  test('is left to the next round when there is no time, but each round removes one', async () => {
    for (const number of [1, 2, 3]) {
      const ghost = { name: `davit-0a1b2c3d-gitea-7-${number}-1`, labels: ['linux'] };
      await world.ci.register({ organization: 'acme' }, ghost);
    }
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
    queue();
    await world.nextRound();
    world.ci.isDown = true;

    const report = await world.nextRound();

    expect(report).toMatchObject({ complete: false, repairs: [], seen: [] });
    expect(report.errors.map(({ subject }) => subject)).toContain('jobs and runners of acme');
    expect(report.errors.every(({ message }) => message.includes('502'))).toBe(true);
    expect(world.requested).toEqual([]);
  });

  test('for the jobs of a place causes no repair there, because half a list looks like surplus', async () => {
    const job = queue();
    await world.deliver('queued', job);
    await world.connect(await world.onlyLaunch());
    world.ci.listJobs = async () => Promise.reject(new Error('reset'));
    job.status = 'cancelled';

    const rounds = [await world.nextRound(), await world.nextRound(), await world.nextRound()];

    expect(rounds.flatMap(({ repairs }) => repairs)).toEqual([]);
    expect(world.retirements).toEqual([]);
  });

  test('for the runners of a place stops no repair that does not need them', async () => {
    const job = queue();
    await world.deliver('queued', job);
    await world.connect(await world.onlyLaunch());
    world.ci.findRunners = async () => Promise.reject(new Error('reset'));
    job.status = 'cancelled';

    const rounds = [await world.nextRound(), await world.nextRound()];

    expect(rounds.flatMap(({ repairs }) => repairs.map(({ repair }) => repair))).toEqual(['SurplusRetired']);
  });
});

test('a davit without a credential for any CI system reconciles nothing', async () => {
  const launches = Object.assign(Object.create(world.deps.launches), {
    list: async () => Promise.reject(new Error('not asked')),
  });

  const report = await new CiWorld([], (deps) => ({ ...deps, launches, ciSystems: [] })).reconcile();

  expect(report).toEqual({ complete: true, seen: [], repairs: [], refused: [], errors: [] });
});

describe('while every cluster of its profile is away, a queued job', () => {
  async function loseCluster(cluster: string): Promise<void> {
    for (const ms of [0, 3000, 6000]) {
      const at = world.nowEpochMs + ms;
      const when = { beganAtEpochMs: at, endedAtEpochMs: at };
      await world.clusterStates.report({ cluster, kind: 'failed', reason: 'TimedOut', error: 'no answer', ...when });
    }
  }

  test('with a failed launch gets no replacement until a cluster is back, and its record says why', async () => {
    const { id } = queue();
    await world.nextRound();
    await world.nextRound();
    await fail(`gitea-7-${id}-1`);
    const [cluster = ''] = world.deps.profiles[0]?.clusters ?? [];
    for (let round = 0; round < 4; round += 1) {
      await loseCluster(cluster);
      expect((await world.nextRound()).repairs).toEqual([]);
    }
    const job = { ciSystem: 'gitea', repositoryId: 7, jobId: id, attempt: 1 };
    const meanwhile = await world.deps.jobs.get(job);

    await world.clusterStates.report({ cluster, kind: 'works', endedAtEpochMs: world.nowEpochMs + 10_000 });
    const back = await world.nextRound();

    expect(meanwhile?.notLaunched).toMatch(`cluster ${cluster} is away: TimedOut since 2026-11-22T`);
    expect(back.repairs).toMatchObject([{ repair: 'ReplacementRequested', subject: `gitea-7-${id}-1-x1` }]);
  });
});

test('a job that a profile refuses is reported once when reconciling finds it, and one of other runners is not', async () => {
  const sized = makeProfile({ name: 'sized', runner: 'gitea', labels: ['linux'], sizes: { cpu: { max: '8' } } });
  world.reconcileDeps.profiles = [sized];
  const { id } = queue(['linux', 'davit/cpu=16']);
  queue(['windows']);

  const [first, second] = [await world.nextRound(), await world.nextRound()];

  expect(first.refused).toMatchObject([
    { id: `gitea/7/${id}/1/JobRefused/Size`, refusal: 'Size', profile: 'sized', label: 'davit/cpu=16' },
  ]);
  expect(second.refused).toEqual([]);
});

import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { CiWorld, type Wrong } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

/** Pools that overlap: a large agent may take any job, a small one only small jobs. */
const profiles = [
  makeProfile({ name: 'small', runner: 'gitea', labels: ['linux'], idleSeconds: 300 }),
  makeProfile({ name: 'large', runner: 'gitea', labels: ['linux', 'large'], idleSeconds: 300 }),
];
const stepMs = 10_000;
const stepsARound = 6;

/** The result of a world. */
export interface WorldEnd {
  killed: readonly string[];
  jobs: number;
  /** Jobs that no agent ran. */
  queued: number;
  /** Launches that are not over. */
  live: number;
  runners: number;
  requested: readonly string[];
  /** The repairs of the last rounds, when nothing was left to repair. */
  lateRepairs: number;
}

/**
 * Simulates a world for 20 minutes. A third of the webhooks is lost, lists are stale, jobs are cancelled or taken by
 * foreign runners, and agents take any job. Then lets it come to rest for 40 minutes.
 */
export async function runAnyWorld(seed: number, wrong?: Wrong): Promise<WorldEnd> {
  const random = seededRandom(seed);
  const chance = (probability: number) => random() < probability;
  const world = new CiWorld(profiles, wrong);
  const { ci } = world;
  const runningSince = new Map<FakeJob, number>();
  const listJobs = ci.listJobs.bind(ci);
  let stale: Awaited<ReturnType<typeof listJobs>> | undefined;
  let isCalm = false;
  ci.listJobs = async (...args) => {
    const fresh = await listJobs(...args);
    const told = !isCalm && stale !== undefined && chance(0.2) ? stale : fresh;
    stale = fresh;
    return structuredClone(told);
  };

  const tell = async (...event: Parameters<CiWorld['deliver']>) => {
    if (isCalm || chance(0.67)) await world.deliver(...event);
    if (!isCalm && chance(0.1)) await world.deliver(...event);
  };
  const complete = async (job: FakeJob) => {
    ci.complete(job);
    runningSince.delete(job);
    await tell('completed', job);
  };
  const work = async () => {
    for (const launch of await world.launches()) {
      const isRegistered = launch.runner !== undefined && ci.runners.has(launch.runner.id);
      if (launch.status === 'launching' && !ci.isDown && chance(0.4)) await world.connect(launch);
      if (!isRegistered || !chance(0.5)) continue;
      const job = ci.assign(launch.runner?.id ?? 0);
      if (job === undefined) continue;
      runningSince.set(job, world.nowEpochMs);
      if (chance(0.5)) await tell('in_progress', job);
    }
    const running = [...runningSince.keys()];
    for (const job of running) if (chance(0.15)) await complete(job);
  };
  const queueSome = async () => {
    if (!chance(0.35)) return;
    const job = ci.queue({ labels: chance(0.5) ? ['linux'] : ['large'], queuedAtEpochMs: world.nowEpochMs });
    await tell('queued', job);
  };
  const disturb = async () => {
    const queued = ci.jobs.filter(({ status }) => status === 'queued');
    const victim = queued[Math.floor(random() * queued.length)];
    const fate = random();
    if (victim !== undefined && fate < 0.04) {
      victim.status = 'cancelled';
      await tell('completed', victim);
    } else if (victim !== undefined && fate < 0.08) {
      Object.assign(victim, { status: 'in_progress', runner: { id: ci.nextId(), name: 'somebody' } });
      runningSince.set(victim, world.nowEpochMs);
    }
    const [launch] = await world.launches();
    if (launch?.status === 'launching' && chance(0.03)) {
      const failed = {
        outcome: 'failed',
        code: 'PlacementDeadlineExceeded',
        message: 'no room',
        by: 'the state machine',
      };
      await world.deps.launches.end(launch.launchId, { ...failed, outcome: 'failed', atEpochMs: world.nowEpochMs });
    }
    ci.isDown = chance(0.05);
  };

  const minutes = async (count: number, isQueueing: boolean) => {
    let repairs = 0;
    for (let step = 0; step < count * stepsARound; step += 1) {
      world.nowEpochMs += stepMs;
      if (isQueueing) {
        await queueSome();
        await disturb();
      }
      await work();
      if (chance(0.7)) await world.retire(work);
      if (step % stepsARound !== 0) continue;
      const rounds = chance(0.1) ? [world.reconcile(), world.reconcile()] : [world.reconcile()];
      repairs += (await Promise.all(rounds)).flatMap((report) => report.repairs).length;
      await world.sweep();
    }
    return repairs;
  };
  await minutes(20, true);
  isCalm = true;
  ci.isDown = false;
  await minutes(40, false);
  const lateRepairs = await minutes(10, false);
  return {
    killed: world.killed,
    jobs: ci.jobs.length,
    queued: ci.jobs.filter(({ status }) => status === 'queued' || status === 'in_progress').length,
    live: (await world.launches()).length,
    runners: ci.runners.size,
    requested: world.requested,
    lateRepairs,
  };
}

import type { RunnerProvider } from '../core/ci/ci-system-config.ts';
import { isPolled } from '../core/ci/ci-systems.ts';
import { makeCore } from './world/core.ts';
import { davit } from './world/davit.ts';
import { type FaultPlan, planFaults } from './world/faults.ts';
import type { HistoryEvent } from './world/history.ts';
import { Random, seedOf } from './world/random.ts';
import { themeOf } from './world/themes.ts';
import { type MaxAgents, type Mutation, World } from './world/world.ts';

/** The options of a run, besides its seed. The seed decides the absent ones. */
export interface Scenario {
  /** The faults that may hit, and how often. */
  plan?: FaultPlan;
  /** How many jobs request an agent. */
  jobs?: number;
  /** How many jobs are in a queue from which any agent may take them. */
  queued?: number;
  /** How many times as many jobs of both kinds there are as by the seed. @default 1 */
  times?: number;
  /** How many agents of the queue there may be at once; `any`: without limits. */
  maxAgents?: MaxAgents | 'any';
  /** How many warm agents there are; 0: none. */
  warm?: number;
  /** Whether some jobs of the queue ask for sizes. */
  isSized?: boolean;
  /** How long the profiles hold the Pod of a failed launch, in seconds; 0: they do not. */
  holdFailedSeconds?: number;
  /** The kind of the queue's CI system; `webhooks`: GitHub or Gitea, which send webhooks of their jobs. */
  ci?: RunnerProvider | 'webhooks';
  /** Whether the run has a queue with sizes and warm agents, and mostly limits, as far as the scenario leaves them open. */
  isMixed?: boolean;
  mutation?: Mutation;
}

/** One run: its history, and the final state of its simulated world. */
export interface Run {
  seed: number;
  plan: FaultPlan;
  jobs: number;
  queued: number;
  /** Undefined in a world without limits. */
  maxAgents: MaxAgents | undefined;
  isSized: boolean;
  isMixed: boolean;
  /** The kind of CI system that the scenario asked for. */
  ci?: NonNullable<Scenario['ci']>;
  launches: number;
  history: readonly HistoryEvent[];
  world: World;
}

/** How long a job takes at most: with one agent at a time, each waits for the ones before. */
const longestJobMinutes = 15;

/** A held Pod keeps its slot. */
const longestHoldSeconds = 600;

/**
 * A sweep leaves launches alone that a process worked on lately, and gives a failing clean-up more time each time.
 * After this time, every agent that still lives has exceeded its lifetime.
 */
const longAfterMs = 3_600_000;

/**
 * Runs a simulated world (davit, clusters, CI systems and people) from its seed until its last event. Then runs an
 * undisturbed sweep with all of its consequences, and another one, for findings that must last from one sweep to the
 * next.
 */
export async function runSeed(seed: number, scenario: Scenario = {}): Promise<Run> {
  const plan = scenario.plan ?? planFaults(seed);
  const core = makeCore(seed, plan);
  const { queued, maxAgents, warm, isSized, ci } = queueKindOf(seed, scenario);
  const limits = maxAgents === 'any' ? undefined : maxAgents;
  const world = new World(core, seed, davit, scenario.mutation ?? {}, {
    maxAgents: limits,
    warm: Math.min(warm, limits?.ofProfile ?? warm),
    isSized,
    ci: ci === 'webhooks' ? undefined : ci,
    holdFailedSeconds: scenario.holdFailedSeconds ?? holdFailedSecondsOf(seed),
  });
  const jobs = scenario.jobs ?? (scenario.times ?? 1) * jobsOf(seed, queued);
  world.outside.planSweeps();
  world.outside.planRotations();
  for (let jobId = 1; jobId <= jobs; jobId += 1) world.outside.plan(jobId);
  world.queue.plan(queued);
  reconcileEachMinute(world, world.queue.assignsNothing ? 80 : 20);
  const goesOn = core.faults.hits('weeksLater', undefined);
  await core.scheduler.run();
  world.calm();
  reconcileEachMinute(world, 40 + longestHoldSeconds / 60 + longestJobMinutes * queued, () => world.noteCalmRound());
  await core.scheduler.run();
  for (let sweeps = 1; sweeps <= 3; sweeps += 1) {
    core.scheduler.after(longAfterMs, () => {
      core.history.add({ kind: 'sweptLast' });
      world.sweep();
    });
    await core.scheduler.run();
  }
  if (goesOn) await letWeeksPass(world, jobs);
  return {
    seed,
    plan,
    jobs,
    queued,
    maxAgents: limits,
    isSized,
    isMixed: scenario.isMixed === true,
    ...(scenario.ci === undefined ? {} : { ci: scenario.ci }),
    launches: world.launches.latest().length,
    history: core.history.events,
    world,
  };
}

/** The kind of a run's queue: its CI system, its jobs, its limits, its warm agents and its sizes. */
export type QueueKind = Required<Pick<Scenario, 'queued' | 'maxAgents' | 'warm' | 'isSized' | 'ci'>>;

/** Chooses by the seed those properties of a run's queue that the scenario leaves open. */
export function queueKindOf(seed: number, scenario: Scenario = {}): QueueKind {
  if (scenario.isMixed === true) return mixedKindOf(seed, scenario);
  const { times = 1, queued = times * queuedOf(seed) } = scenario;
  // davit keeps warm agents only where webhooks tell of jobs.
  const { ci = scenario.warm ? 'webhooks' : ciOf(seed, queued) } = scenario;
  const hasNoWarm = ci !== 'webhooks' && isPolled({ provider: ci });
  const { maxAgents = maxAgentsOf(seed, queued), warm = hasNoWarm ? 0 : warmOf(seed, queued) } = scenario;
  const { isSized = warm === 0 && isSizedBy(seed) } = scenario;
  return { queued, maxAgents, warm, isSized, ci };
}

/** Two of five queues are of a CI system that davit polls. */
function ciOf(seed: number, queued: number): QueueKind['ci'] {
  const random = new Random(seedOf(seed, 'ci'));
  if (queued === 0 || random.chance(0.6)) return 'webhooks';
  return random.pick(['jenkins', 'gitlab', 'forgejo', 'buildkite'] as const);
}

/** Chooses by random numbers of its own, so that other runs do not change. */
function mixedKindOf(seed: number, scenario: Scenario): QueueKind {
  const random = new Random(seedOf(seed, 'mixed'));
  const ofProfile = random.whole(1, 3);
  // Only without limits does the judge know how many warm agents there should be.
  const limits = random.chance(0.25) ? 'any' : { ofProfile, ofOrganization: ofProfile + random.whole(0, 2) };
  const [jobs, agents] = [random.whole(2, 8), random.whole(1, 2)];
  const { queued = jobs, maxAgents = limits, warm = agents, isSized = true, ci = 'webhooks' } = scenario;
  return { queued, maxAgents, warm, isSized, ci };
}

/** Half of the runs have a queue, and each with faults of one; those have fewer other jobs. */
function queuedOf(seed: number): number {
  const random = new Random(seedOf(seed, 'queued'));
  const hasNone = random.chance(0.5);
  return hasNone && themeOf(seed)?.isOfQueue !== true ? 0 : random.whole(1, 8);
}

/** Two of five queues have limits: few agents of each profile, and at most one more of the organization. */
function maxAgentsOf(seed: number, queued: number): MaxAgents | 'any' {
  const random = new Random(seedOf(seed, 'limits'));
  if (queued === 0 || random.chance(0.6)) return 'any';
  const ofProfile = random.whole(1, 2);
  return { ofProfile, ofOrganization: ofProfile + random.whole(0, 1) };
}

/** A quarter of the queues have warm agents. */
function warmOf(seed: number, queued: number): number {
  const random = new Random(seedOf(seed, 'warm'));
  return queued === 0 || random.chance(0.75) ? 0 : random.whole(1, 2);
}

/** In two of five worlds without warm agents, jobs ask for sizes. */
function isSizedBy(seed: number): boolean {
  return new Random(seedOf(seed, 'sized')).chance(0.4);
}

/** In three of ten worlds, the profiles hold the Pods of failed launches. */
function holdFailedSecondsOf(seed: number): number {
  const random = new Random(seedOf(seed, 'hold'));
  return random.chance(0.3) ? random.whole(30, longestHoldSeconds) : 0;
}

function jobsOf(seed: number, queued: number): number {
  const jobs = new Random(seedOf(seed, 'jobs')).whole(1, 6);
  return queued === 0 ? jobs : Math.floor(jobs / 3);
}

/** Reconciles and sweeps as on their schedules, for so many minutes, or until there is nothing left to do. */
function reconcileEachMinute(world: World, minutes: number, before: () => void = () => undefined): void {
  const { faults, scheduler } = world.core;
  if (minutes === 0 || !world.isQueueAtWork) return;
  world.poll();
  scheduler.after(60_000, () => {
    before();
    world.reconcile();
    if (faults.hits('reconcileTwice', undefined)) world.reconcile();
    world.sweep();
    reconcileEachMinute(world, minutes - 1, before);
  });
}

const dayMs = 86_400_000;

/** Lets agents reach their maximum lifetime, then lets records and tokens expire, and requests the same jobs again. */
async function letWeeksPass(world: World, jobs: number): Promise<void> {
  const { scheduler } = world.core;
  const sweepAfter = async (ms: number) => {
    scheduler.after(ms, () => world.sweep());
    await scheduler.run();
  };
  await sweepAfter(13 * dayMs);
  await sweepAfter(longAfterMs);
  scheduler.after(world.core.random.between(1, 4) * dayMs, () => {
    for (let jobId = 1; jobId <= jobs; jobId += 1) world.outside.returnLater(jobId);
  });
  await scheduler.run();
  await sweepAfter(longAfterMs);
  await sweepAfter(longAfterMs);
}

import { isDeepStrictEqual } from 'node:util';
/**
 * How soon davit knows that a cluster is away, and how seldom it says so wrongly: its own rules over the whole of its
 * probes and of its launches' calls, in virtual time.
 */

import type { ClusterReport, ClusterState } from '../../../../core/cluster/cluster-state.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { type ProbeDeps, type ProbeInput, probe } from '../../../../functions/probe/probe.ts';
import { probeLimits } from '../../../../functions/probe/probe-limits.ts';
import { hasFirstFailure } from '../../../../functions/publish-events/publish-events.ts';
import { watchLaunches } from '../../../../functions/publish-events/watch-launches.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { createClusterReporter } from '../../../../logic/cluster-reports/cluster-reporter.ts';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { epochMs, recordOf } from '../../../contract/launch-fixtures.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { TestClock } from '../../../support/test-clock.ts';

const cluster = 'sandbox';
/** The time-out of a launch's own call: the adapter's patience. */
const callMs = 5000;
/** How late a probe begins that a stream's record or the schedule asks for. */
const latestBeginMs = 2000;
const minuteMs = 60_000;

/** `lost`: nobody answers. */
type Failure = 'refused' | 'lost';

class World {
  readonly clock = new TestClock(epochMs);
  readonly states = sqliteClusterStates(openStore(':memory:'));
  readonly launches = new MemoryLaunches();
  /** When davit changed its mind, in milliseconds from the start. */
  readonly changes: { connected: ClusterState['connected']; atMs: number }[] = [];
  frozenFromMs = Infinity;
  readonly #random: () => number;
  readonly #failingShare: number;
  readonly #lostShare: number;
  readonly #watch = watchLaunches({
    invokeLater: async (_functionName, event) => this.#probeSoon(event),
    nowEpochMs: this.clock.nowEpochMs,
  });

  /** @param lostShare how many of the calls that fail get no answer */
  constructor(seed: number, failingShare = 0, lostShare = 1) {
    this.#random = seededRandom(seed);
    this.#failingShare = failingShare;
    this.#lostShare = lostShare;
  }

  get nowMs(): number {
    return this.clock.nowEpochMs() - epochMs;
  }

  random(): number {
    return this.#random();
  }

  async sleepUntil(atMs: number): Promise<void> {
    await this.clock.sleepMs(Math.max(0, atMs - this.nowMs));
  }

  /** Probes each minute, as the schedule does; every other time, it is late. */
  async keepProbing(untilMs: number): Promise<void> {
    const first = Math.ceil(this.nowMs / minuteMs);
    for (let minute = first; minute * minuteMs < untilMs; minute += 1) {
      await this.sleepUntil(minute * minuteMs);
      this.#probeAfter((minute % 2) * latestBeginMs, {});
    }
  }

  /** Begins a launch, which is under way from its record on. */
  async launch(launchId: string): Promise<void> {
    await this.launches.request(recordOf(launchId));
    await this.#watch(cluster);
  }

  async end(launchId: string): Promise<void> {
    await this.launches.markConnected({ launchId, agentName: `davit-${launchId}` }, this.clock.nowEpochMs());
  }

  /** Makes a request. @throws TransientError when it fails */
  async request(timeoutMs: number): Promise<void> {
    const failure = this.#failureNow();
    if (failure === 'lost') await this.clock.sleepMs(timeoutMs);
    if (failure !== undefined) {
      const reason = failure === 'lost' ? 'TimedOut' : 'Unreachable';
      throw new TransientError('ClusterUnreachable', 'no answer', { cluster }, { reason });
    }
  }

  readonly report = async (report: ClusterReport): Promise<ClusterState> => {
    const before = await this.states.get(cluster);
    const after = await this.states.report(report);
    if (before?.connected !== after.connected) this.changes.push({ connected: after.connected, atMs: this.nowMs });
    if (!isDeepStrictEqual(before, after) && hasFirstFailure(before, after)) this.#probeSoon({ cluster });
    return after;
  };

  #failureNow(): Failure | undefined {
    if (this.nowMs >= this.frozenFromMs) return 'lost';
    if (this.#failingShare === 0 || this.#random() >= this.#failingShare) return undefined;
    return this.#random() < this.#lostShare ? 'lost' : 'refused';
  }

  #probeSoon(input: ProbeInput): void {
    this.#probeAfter(this.#failingShare === 0 ? latestBeginMs : this.#random() * latestBeginMs, input);
  }

  #probeAfter(lateMs: number, input: ProbeInput): void {
    const ask = () => this.request(probeLimits.patience.callMs);
    const deps: ProbeDeps = {
      profiles: [{ clusters: [cluster], namespace: 'agents' }],
      openHealth: async () => ({
        look: async () => {
          await ask();
          return '1';
        },
        prove: async () => {
          // A watch, a create and the version.
          for (let call = 0; call < 3; call += 1) await ask();
          return {};
        },
      }),
      clusterStates: { get: (name) => this.states.get(name), report: this.report },
      launches: this.launches,
      sleep: this.clock.sleepMs,
      random: this.#random,
      nowEpochMs: this.clock.nowEpochMs,
      log: { error: () => {} },
      totalMs: probeLimits.totalMs,
    };
    this.clock.after(lateMs, () => void probe(deps, input));
  }
}

/**
 * Freezes a cluster on which a launch is under way that makes no call of its own: it watches.
 *
 * @returns how long davit takes to know
 */
async function msUntilKnown(launchAtMs: number, frozenFromMs: number): Promise<number> {
  const world = new World(1);
  world.frozenFromMs = frozenFromMs;
  const untilMs = frozenFromMs + 20_000;
  const probing = world.keepProbing(untilMs);
  await world.sleepUntil(launchAtMs);
  await world.launch('job');
  await world.sleepUntil(untilMs);
  await probing;
  const known = world.changes.find(({ connected }) => connected === false);
  return (known?.atMs ?? Infinity) - frozenFromMs;
}

test('davit knows within 10 s that a cluster is frozen, at whatever moment of a launch and of the minute', async () => {
  const sincePunctualProbeMs = [0, 1000, 8001, 45_000, 57_000];
  const took = [];

  for (const sinceMs of sincePunctualProbeMs) {
    const launchAtMs = 2 * minuteMs + sinceMs;
    // Just after each look of the schedule's probes, and some of those of the launch's own.
    const looks = Array.from({ length: 48 }, (_, look) => 2 * minuteMs + 2000 * look);
    const own = [0, 1, 5, 11].map((look) => launchAtMs + latestBeginMs + 2000 * look);
    for (const look of [launchAtMs, ...looks, ...own]) {
      if (look >= launchAtMs) took.push(await msUntilKnown(launchAtMs, look + 1));
    }
  }

  expect(Math.max(...took)).toBeLessThanOrEqual(10_000);
  expect(Math.min(...took)).toBeGreaterThanOrEqual(5000);
});

/** An hour in which launches come and go, and each makes its calls, from several processes. */
async function anHour(world: World, calls: { all: number; failed: number }): Promise<void> {
  const processes = Array.from({ length: 4 }, () =>
    createClusterReporter({
      clusterStates: { report: world.report },
      log: { warn: () => {} },
      nowEpochMs: world.clock.nowEpochMs,
    }),
  );
  const call = async () => {
    const process = processes[Math.floor(world.random() * processes.length)];
    const beganAtEpochMs = world.clock.nowEpochMs();
    calls.all += 1;
    try {
      await world.request(callMs);
      await process?.succeeded(cluster);
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      calls.failed += 1;
      const reason = error.reason ?? 'Unreachable';
      await process?.failed({ cluster }, { reason, error: error.message, beganAtEpochMs });
    }
  };
  const hourMs = 60 * minuteMs;
  const probing = world.keepProbing(hourMs);
  for (let launch = 0; world.nowMs < hourMs; launch += 1) {
    await world.launch(`job-${launch}`);
    for (let step = 0; step < 12; step += 1) {
      await world.clock.sleepMs(world.random() * 5000);
      await call();
    }
    await world.end(`job-${launch}`);
    await world.clock.sleepMs(world.random() * 10_000);
  }
  await probing;
}

/** As many fail as the goal says, in either way; and three times as many, all without an answer, to show the reserve. */
const hours = [
  { share: 0.05, lostShare: 0.5, seeds: [1, 2] },
  { share: 0.15, lostShare: 1, seeds: [5, 6] },
].flatMap(({ seeds, ...failing }) => seeds.map((seed) => ({ seed, ...failing })));

test.each(hours)(
  'an hour in which $share of the calls fail is no reason to say that a cluster is away, and a freeze is (seed $seed)',
  async ({ seed, share, lostShare }) => {
    const world = new World(seed, share, lostShare);
    const calls = { all: 0, failed: 0 };

    await anHour(world, calls);
    const flaps = [...world.changes];
    const probing = world.keepProbing(world.nowMs + 2 * minuteMs);
    await world.launch('last');
    await world.clock.sleepMs(world.random() * minuteMs);
    world.frozenFromMs = world.nowMs;
    await world.clock.sleepMs(20_000);
    await probing;

    expect(flaps.filter(({ connected }) => connected === false)).toEqual([]);
    expect(calls.all).toBeGreaterThan(800);
    expect(calls.failed / calls.all).toBeGreaterThan(share * 0.6);
    const known = world.changes.find(({ connected }) => connected === false);
    expect((known?.atMs ?? Infinity) - world.frozenFromMs).toBeLessThanOrEqual(10_000);
  },
);

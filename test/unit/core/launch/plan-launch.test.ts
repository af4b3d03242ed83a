import * as fc from 'fast-check';
import type { AgentSize } from '../../../../core/agent/agent-size.ts';
import { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import {
  newRecord,
  nextGeneration,
  nextGenerationElsewhere,
  planLaunch,
  relaunchesOf,
} from '../../../../core/launch/plan-launch.ts';
import { expiryOf, requestedAtOf } from '../../../../core/retention.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const nowEpochMs = 1_780_308_000_500;

describe('planLaunch', () => {
  test('resolves the profile, without its Pod template', () => {
    const plan = planLaunch(
      makeProfile(),
      { launchId: 'github-1-2-1', sourceUrl: 'https://ci.example/jobs/2' },
      nowEpochMs,
    );

    expect(plan).toEqual({
      launchId: 'github-1-2-1',
      agentName: 'davit-github-1-2-1',
      profile: 'linux',
      removeExitedAfterSeconds: 60,
      cluster: 'sandbox',
      namespace: 'agents',
      expose: 'nodePort',
      hostAddress: 'hostIP',
      agentPort: 8811,
      tls: false,
      deadlines: {
        serviceSeconds: 600,
        nodePortSeconds: 60,
        podSeconds: 600,
        placementSeconds: 900,
        publishSeconds: 60,
        connectSeconds: 600,
        quotaSeconds: 600,
        nodePortRangeSeconds: 600,
      },
      graces: { imagePullSeconds: 30, containerSeconds: 30 },
      sourceUrl: 'https://ci.example/jobs/2',
      requestedAtEpochMs: nowEpochMs,
      generation: 1,
      waitsForCluster: true,
      startedAtEpochMs: nowEpochMs,
      maxRelaunches: 2,
    });
  });

  test('keeps all that the request says of the job', () => {
    const request = {
      launchId: 'github-1-2-1',
      traceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793',
      join: { ciSystem: 'github', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 },
      size: { cpu: '4' },
      jobKey: 'github/1/2/1',
      job: { name: 'build', attempt: 1 },
    };

    const plan = planLaunch(makeProfile(), request, nowEpochMs);

    expect(plan).toMatchObject(request);
    expect(LaunchPlan.parse(plan)).toEqual(plan);
  });

  test('has no field for what neither the request nor the profile says', () => {
    const plan = planLaunch(makeProfile(), { launchId: 'github-1-2-1' }, nowEpochMs);

    expect(Object.entries(plan).filter(([, value]) => value === undefined)).toEqual([]);
  });

  test("keeps the profile's limits", () => {
    const limitsOf = (removeExitedAfterSeconds: number) =>
      planLaunch(
        makeProfile({ maxAgentLifetimeSeconds: 7200, removeExitedAfterSeconds }),
        { launchId: 'github-1-2-1' },
        nowEpochMs,
      );

    expect(limitsOf(0)).toMatchObject({ maxAgentLifetimeSeconds: 7200, removeExitedAfterSeconds: 0 });
    expect(limitsOf(90)).toMatchObject({ removeExitedAfterSeconds: 90 });
    expect(limitsOf(90)).not.toHaveProperty('holdFailedSeconds');
    const holding = planLaunch(makeProfile({ holdFailedSeconds: 600 }), { launchId: 'job' }, nowEpochMs);
    expect(holding).toMatchObject({ holdFailedSeconds: 600 });
  });

  test('needs a cluster', () => {
    expect(() => planLaunch(makeProfile({ clusters: [] }), { launchId: 'github-1-2-1' }, nowEpochMs)).toThrow(
      new RangeError('profile linux has no clusters'),
    );
  });

  test('a launch keeps the price of its profile, unless its job asks for another size', () => {
    const profile = makeProfile({ pricePerHour: 0.17 });
    const priceWith = (size?: AgentSize) =>
      planLaunch(profile, { launchId: 'github-1-2-1', size }, nowEpochMs).pricePerHour;

    expect([priceWith(), priceWith({}), priceWith({ cpu: '4' })]).toEqual([0.17, 0.17, undefined]);
    expect(planLaunch(makeProfile(), { launchId: 'github-1-2-1' }, nowEpochMs)).not.toHaveProperty('pricePerHour');
  });

  test('a launch goes to no cluster that is away, as long as there is another', () => {
    const profile = makeProfile({ clusters: ['one', 'two', 'three'] });
    fc.assert(
      fc.property(fc.nat(), fc.subarray(profile.clusters), (job, away) => {
        const launchId = `github-1-${job}-1`;

        const { cluster } = planLaunch(profile, { launchId }, nowEpochMs, new Set(away));

        const isAllAway = away.length === profile.clusters.length;
        expect(away.includes(cluster)).toBe(isAllAway);
        if (isAllAway) expect(cluster).toBe(planLaunch(profile, { launchId }, nowEpochMs).cluster);
      }),
    );
  });

  test('a launch may move to the other clusters of its profile, in the order in which it prefers them', () => {
    const profile = makeProfile({ clusters: ['one', 'two', 'three'], strategy: 'ordered' });

    expect(planLaunch(profile, { launchId: 'github-1-2-1' }, nowEpochMs, new Set(['one']))).toMatchObject({
      cluster: 'two',
      failover: { clusters: ['one', 'three'], moves: 0, failoverSeconds: 60, spillSeconds: 300 },
    });
  });
});

describe('nextGeneration', () => {
  test('is the same plan under another agent name, with a new start', () => {
    const plan = planLaunch(makeProfile(), { launchId: 'github-1-2-1' }, nowEpochMs);

    expect(nextGeneration(plan, 1_780_308_090_000)).toEqual({
      ...plan,
      agentName: 'davit-github-1-2-1-r2',
      generation: 2,
      startedAtEpochMs: 1_780_308_090_000,
    });
  });

  test('makes valid plans for as many relaunches as a profile may have', () => {
    let plan = planLaunch(makeProfile({ maxRelaunches: 8 }), { launchId: 'github-1-2-1' }, nowEpochMs);

    for (let relaunches = 1; relaunches <= 8; relaunches += 1) plan = nextGeneration(plan, nowEpochMs + relaunches);

    expect(LaunchPlan.parse(plan)).toMatchObject({ agentName: 'davit-github-1-2-1-r9', generation: 9 });
  });
});

describe('nextGenerationElsewhere', () => {
  const profile = makeProfile({ clusters: ['one', 'two', 'three'], strategy: 'ordered' });
  const plan = planLaunch(profile, { launchId: 'github-1-2-1' }, nowEpochMs);
  const later = nowEpochMs + 60_000;

  test('is the next generation on the first other cluster that is not away', () => {
    expect(nextGenerationElsewhere(plan, later, new Set(['two']))).toEqual({
      ...nextGeneration(plan, later),
      cluster: 'three',
      failover: { clusters: ['two'], moves: 1, failoverSeconds: 60, spillSeconds: 300 },
    });
  });

  test('goes to a cluster that is away if there is no other, and to none twice', () => {
    const moved = nextGenerationElsewhere(plan, later, new Set(['two', 'three'])) ?? plan;
    const movedAgain = nextGenerationElsewhere(moved, later, new Set()) ?? plan;

    expect([moved.cluster, movedAgain.cluster]).toEqual(['two', 'three']);
    expect(nextGenerationElsewhere(movedAgain, later, new Set())).toBeUndefined();
  });

  test('is none for a launch with a single cluster', () => {
    const single = planLaunch(makeProfile(), { launchId: 'github-1-2-1' }, nowEpochMs);

    expect(nextGenerationElsewhere(single, later, new Set())).toBeUndefined();
  });

  test('is no relaunch', () => {
    const moved = nextGenerationElsewhere(nextGeneration(plan, later), later, new Set()) ?? plan;

    expect(relaunchesOf({ generation: 1 })).toBe(0);
    expect(relaunchesOf({ generation: 3 })).toBe(2);
    expect([moved.generation, relaunchesOf(moved)]).toEqual([3, 1]);
  });
});

test("a record's expiry says when its launch was requested, to the second", () => {
  expect(requestedAtOf(expiryOf(1_780_308_000_000))).toBe(1_780_308_000_000);
  expect(requestedAtOf(expiryOf(1_780_308_000_001))).toBe(1_780_308_001_000);
});

describe('newRecord', () => {
  test('is live, and is forgotten 14 days later, in whole seconds', () => {
    const plan = planLaunch(makeProfile(), { launchId: 'api-x' }, nowEpochMs);

    const record = newRecord(plan, { env: { COLOUR: 'red' } });

    expect(LaunchRecord.parse(record)).toEqual({
      launchId: 'api-x',
      status: 'launching',
      plan,
      env: { COLOUR: 'red' },
      requestedAtEpochMs: nowEpochMs,
      expiresAtEpochSeconds: 1_781_517_601,
    });
  });
});

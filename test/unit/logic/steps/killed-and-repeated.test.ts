import { cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { createPod } from '../../../../functions/create-pod/create-pod.ts';
import { createService } from '../../../../functions/create-service/create-service.ts';
import { pollHostIP } from '../../../../functions/poll-host-ip/poll-host-ip.ts';
import { publishToken } from '../../../../functions/publish-token/publish-token.ts';
import { relaunch } from '../../../../functions/relaunch/relaunch.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import type { TokenPublisher, TokenReader } from '../../../../ports/tokens.ts';
import { agentOf, credentialIdOf, endingOf, planOf } from '../../../contract/launch-fixtures.ts';
import { Crash, type CrashPoint, crashAt } from '../../../support/crash-at.ts';
import { makeTestDeps, type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { waiting } from '../../../support/pod-view.ts';
import { launchAt, requested, withNodePort, withPlacement, withPod } from '../../../support/run-steps.ts';

type Run = (deps: TestDeps) => Promise<unknown>;

interface Case {
  step: string;
  /** The number of the step's writes without a kill. */
  writes: number;
  /** Runs the launch up to the step; returns the step. */
  prepare: (deps: TestDeps) => Promise<Run>;
}

const pulling = { phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull')] };

function evictionOf({ agentName }: { agentName: string }): { Error: string; Cause: string } {
  return { Error: 'RelaunchError', Cause: `PodEvicted: drained (pod ${agentName})` };
}

const cases: Case[] = [
  {
    step: 'CreateService',
    writes: 1,
    prepare: async (deps) => {
      const state = await requested(deps);
      return (given) => createService(given, state);
    },
  },
  {
    step: 'CreatePod',
    writes: 1,
    prepare: async (deps) => {
      const state = await withNodePort(deps);
      return async (given) => {
        // An adopted Pod differs from a new one only in the version to watch from, and in its flag.
        const { resourceVersion: _from, isNew: _isNew, ...created } = await createPod(given, state);
        return created;
      };
    },
  },
  {
    step: 'PollHostIP, which records trouble and its end',
    writes: 2,
    prepare: async (deps) => {
      const state = await withPod(deps);
      deps.cluster.report(testAgentName, pulling);
      deps.clock.after(3000, () => deps.cluster.report(testAgentName, { phase: 'Running', hostIP: '10.0.0.7' }));
      return (given) => pollHostIP(given, state);
    },
  },
  {
    step: 'PublishToken',
    writes: 1,
    prepare: async (deps) => {
      const state = await withPlacement(deps);
      return (given) => publishToken(given, state);
    },
  },
  {
    step: 'PublishToken, which records trouble while it waits for the agent',
    writes: 2,
    prepare: async (deps) => {
      const state = await withPlacement(deps);
      deps.cluster.report(testAgentName, { ...pulling, hostIP: '10.0.0.7' });
      deps.clock.after(2000, () => void deps.launches.markConnected(agentOf(testLaunchId), deps.nowEpochMs()));
      return (given) => publishToken(given, { ...state, placement: { ...state.placement, lookPauseSeconds: 27 } });
    },
  },
  {
    step: 'Relaunch',
    // The next generation, the Service, and the Pod, which stays until its grace period is over.
    writes: 3,
    prepare: async (deps) => {
      const state = await withPod(deps);
      deps.cluster.terminationMs = 2000;
      return (given) => relaunch(given, { ...planOf(testLaunchId), failure: evictionOf(state) });
    },
  },
  {
    step: 'CleanUp',
    // The launch's end, the Service, the Pod, the diagnostics, and the end of the clean-up.
    writes: 5,
    prepare: async (deps) => {
      const state = await withPod(deps);
      deps.cluster.terminationMs = 2000;
      return (given) => cleanUp(given, { ...state, failure: { Error: 'X', Cause: 'PodFailed: phase Failed' } });
    },
  },
];

interface World {
  deps: TestDeps;
  tokens: TokenReader & TokenPublisher;
  run: Run;
}

async function worldOf({ prepare }: Case): Promise<World> {
  const tokens = sqliteTokens(openStore(':memory:'));
  // Each attempt has its own credential; everything else must be equal.
  const deps = makeTestDeps({ tokens, newCredentialId: () => credentialIdOf(1) });
  return { deps, tokens, run: await prepare(deps) };
}

/** Everything that is visible afterwards. */
async function outcomeOf({ deps, tokens }: World, result: unknown) {
  const { cluster, launches } = deps;
  return {
    result,
    services: cluster.services.all(),
    pods: cluster.pods.all(),
    writes: cluster.writes,
    record: await launches.get(testLaunchId),
    token: await tokens.get(testAgentName),
  };
}

describe.each(cases)('$step', (step) => {
  test('makes as many writes as the cases below interrupt', async () => {
    const world = await worldOf(step);
    let writes = 0;
    while (await isKilledAt(world, { write: writes + 1, when: 'before' })) writes += 1;

    expect(writes).toBe(step.writes);
  });

  test.each(pointsOf(step.writes))(
    'has the same outcome when it is killed $when its write $write and repeated',
    async (point) => {
      const unharmed = await worldOf(step);
      const expected = await outcomeOf(unharmed, await unharmed.run(unharmed.deps));

      const world = await worldOf(step);
      expect(await isKilledAt(world, point)).toBe(true);
      const result = await world.run(world.deps);

      expect(await outcomeOf(world, result)).toEqual(expected);
    },
  );
});

describe('CreateService for an ended launch', () => {
  test.each(pointsOf(2))('leaves nothing when it is killed $when its write $write and repeated', async (point) => {
    const { deps, state } = await launchAt(requested);
    await deps.launches.end(testLaunchId, endingOf());

    await expect(createService(crashAt(deps, point).deps, state)).rejects.toBeInstanceOf(Crash);
    await expect(createService(deps, state)).rejects.toMatchObject({ code: 'LaunchOver' });

    expect(deps.cluster.services.all()).toEqual([]);
  });
});

function pointsOf(writes: number): CrashPoint[] {
  return Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) => [
    { write, when: 'before' },
    { write, when: 'after' },
  ]);
}

async function isKilledAt({ deps, run }: World, point: CrashPoint): Promise<boolean> {
  const dying = crashAt(deps, point);
  const end = await run(dying.deps).catch((error: unknown) => error);
  expect(end instanceof Crash).toBe(dying.hasCrashed());
  return dying.hasCrashed();
}

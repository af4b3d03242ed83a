import { TransientError } from '../../../../core/errors/errors.ts';
import { type PublishTokenDeps, publishToken } from '../../../../functions/publish-token/publish-token.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import { agentOf, endingOf } from '../../../contract/launch-fixtures.ts';
import { makeTestDeps, type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { terminated } from '../../../support/pod-view.ts';
import { withPlacement } from '../../../support/run-steps.ts';

/** A launch whose address is known, on a state machine that repeats PublishToken. */
async function placed(made: TestDeps) {
  const at = await withPlacement(made);
  return { ...at, placement: { ...at.placement, lookPauseSeconds: 27 } };
}

let tokens: ReturnType<typeof sqliteTokens>;
let deps: TestDeps;
let state: Awaited<ReturnType<typeof placed>>;

beforeEach(async () => {
  tokens = sqliteTokens(openStore(':memory:'));
  deps = makeTestDeps({ tokens });
  state = await placed(deps);
  deps.clock.advance(250);
});

function launchesWith(changes: Partial<PublishTokenDeps['launches']>): PublishTokenDeps['launches'] {
  const { launches } = deps;
  return {
    get: (...given) => launches.get(...given),
    noteSignal: (...given) => launches.noteSignal(...given),
    clearSignal: (...given) => launches.clearSignal(...given),
    notePodState: (...given) => launches.notePodState(...given),
    noteTimeline: (...given) => launches.noteTimeline(...given),
    ...changes,
  };
}

const timelineBefore = { serviceMs: 0, portMs: 0, podMs: 0, hostMs: 0 };

test('publishes the token, and ends when the agent has connected', async () => {
  deps.clock.after(1300, () => void deps.launches.markConnected(agentOf(testLaunchId), deps.nowEpochMs()));

  const output = await publishToken(deps, state);

  expect(output).toEqual({ publishedAtEpochMs: 1_767_225_600_250 });
  expect(deps.nowEpochMs()).toBe(1_767_225_601_750);
  expect(await tokens.get(testAgentName)).toMatchObject({ token: { host: '10.0.0.7', port: 30_000 } });
});

test('an agent that takes longer finds its token at the repetitions, which count from its publication', async () => {
  await expect(publishToken(deps, state)).rejects.toMatchObject({ name: 'PendingError', code: 'ConnectPending' });
  const first = await tokens.get(testAgentName);
  deps.clock.advance(570_000);
  await expect(publishToken(deps, state)).rejects.toMatchObject({ name: 'PendingError', code: 'ConnectPending' });
  deps.clock.advance(27_000);
  await expect(publishToken(deps, state)).rejects.toThrow(
    'ConnectDeadlineExceeded: PublishToken gave up after 603 s of 600 s; at last: the agent has not connected; ',
  );

  expect(await tokens.get(testAgentName)).toEqual(first);
});

test('only publishes for a state machine that waits in a state of its own', async () => {
  const { lookPauseSeconds: _pause, ...placement } = state.placement;

  expect(await publishToken(deps, { ...state, placement })).toEqual({ publishedAtEpochMs: 1_767_225_600_250 });
  expect(deps.nowEpochMs()).toBe(1_767_225_600_250);
  expect(await tokens.get(testAgentName)).toBeDefined();
});

test('looks for the agent when its turn comes, once the token is published', async () => {
  await deps.launches.markConnected(agentOf(testLaunchId), deps.nowEpochMs());
  const published: boolean[] = [];

  await publishToken(
    {
      ...deps,
      observe: async (look) => {
        published.push((await tokens.get(testAgentName)) !== undefined);
        await look();
      },
    },
    state,
  );

  expect(published).toEqual([true]);
});

describe('the record of a launch that fails here says when its token was published', () => {
  test('if its Pod has ended', async () => {
    deps.cluster.report(testAgentName, {
      phase: 'Succeeded',
      containerStatuses: [terminated('agent', 0, 'Completed')],
    });

    await expect(publishToken(deps, state)).rejects.toMatchObject({ code: 'PodSucceeded' });

    expect((await deps.launches.get(testLaunchId))?.timeline).toEqual({ ...timelineBefore, tokenMs: 250 });
  });

  test('if infrastructure took its Pod', async () => {
    const conditions = [
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'drain' },
    ];
    deps.cluster.report(testAgentName, { phase: 'Failed', conditions });

    await expect(publishToken(deps, state)).rejects.toMatchObject({ name: 'RelaunchError' });

    expect((await deps.launches.get(testLaunchId))?.timeline).toEqual({ ...timelineBefore, tokenMs: 250 });
  });

  test('unless the launch was ended, which changes nothing any more', async () => {
    await deps.launches.end(testLaunchId, endingOf());

    await expect(publishToken(deps, state)).rejects.toMatchObject({ code: 'LaunchOver' });

    expect(await deps.launches.get(testLaunchId)).not.toHaveProperty('timeline');
  });

  test('at a repetition, if the table does not answer', async () => {
    deps.cluster.report(testAgentName, { phase: 'Failed', containerStatuses: [terminated('agent', 1, 'Error')] });
    const throttled = new TransientError('StoreUnavailable', 'table launches: throttled');
    const launches = launchesWith({ noteTimeline: () => Promise.reject(throttled) });

    await expect(publishToken({ ...deps, launches }, state)).rejects.toBe(throttled);
    await expect(publishToken(deps, state)).rejects.toMatchObject({ name: 'TerminalError' });

    expect((await deps.launches.get(testLaunchId))?.timeline).toHaveProperty('tokenMs', 250);
  });
});

test('a repetition writes no timeline: a usual launch writes what its look needs', async () => {
  const written: string[] = [];
  const launches = launchesWith({
    noteTimeline: async () => void written.push('noteTimeline'),
    notePodState: async () => void written.push('notePodState'),
  });

  await expect(publishToken({ ...deps, launches }, state)).rejects.toMatchObject({ code: 'ConnectPending' });

  expect(written).toEqual(['notePodState']);
});

import { TransientError } from '../../../../core/errors/errors.ts';
import { publishToken } from '../../../../functions/publish-token/publish-token.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import { agentOf, endingOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
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

  const observe = async (look: () => Promise<unknown>) => {
    published.push((await tokens.get(testAgentName)) !== undefined);
    await look();
  };

  await publishToken({ ...deps, observe }, state);

  expect(published).toEqual([true]);
});

describe('the record of a launch that fails here says when its token was published', () => {
  const drained = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'drain' };
  test.each([
    ['its Pod has ended', { containerStatuses: [terminated('agent', 0, 'Completed')] }, 'Succeeded', 'PodSucceeded'],
    ['infrastructure took its Pod', { conditions: [drained] }, 'Failed', 'PodEvicted'],
  ])('if %s', async (_what, status, phase, code) => {
    deps.cluster.report(testAgentName, { phase, ...status });

    await expect(publishToken(deps, state)).rejects.toMatchObject({ code });

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
    const restore = refuseCalls(deps.launches, 'noteTimeline', throttled);

    await expect(publishToken(deps, state)).rejects.toBe(throttled);
    restore();
    await expect(publishToken(deps, state)).rejects.toMatchObject({ name: 'TerminalError' });

    expect((await deps.launches.get(testLaunchId))?.timeline).toHaveProperty('tokenMs', 250);
  });
});

test('a repetition writes no timeline: a usual launch writes what its look needs', async () => {
  const written: string[] = [];
  for (const write of ['noteTimeline', 'notePodState'] as const)
    beforeCalls(deps.launches, write, () => written.push(write));

  await expect(publishToken(deps, state)).rejects.toMatchObject({ code: 'ConnectPending' });

  expect(written).toEqual(['notePodState']);
});

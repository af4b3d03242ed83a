import { TransientError } from '../../../../core/errors/errors.ts';
import { AgentName } from '../../../../core/launch/names.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import { timelineOf } from '../../../../core/launch/timeline.ts';
import { publish } from '../../../../functions/publish-token/publish.ts';
import { PublishTokenInput } from '../../../../functions/publish-token/publish-token-input.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { refuseCalls } from '../../../support/around-calls.ts';
import { makeTestDeps, type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { withPlacement } from '../../../support/run-steps.ts';

const pod = {
  uid: 'pod-uid-9',
  resourceVersion: '5',
  createdAtEpochMs: 1_767_225_600_000,
  made: { credentialId: '00000000-0000-4000-8000-000000000009' },
};
const placement = { host: '10.244.1.9', resourceVersion: '5', placedAtEpochMs: 1_767_225_600_000 };

const throttled = new TransientError('StoreUnavailable', 'table tokens: throttled');
let tokens: ReturnType<typeof sqliteTokens>;
let deps: TestDeps;
let state: Awaited<ReturnType<typeof withPlacement>>;

beforeEach(async () => {
  tokens = sqliteTokens(openStore(':memory:'));
  deps = makeTestDeps({ tokens });
  state = await withPlacement(deps);
});

test("the token has the Pod's host and the Service's nodePort", async () => {
  deps.clock.advance(250);

  const output = await publish(deps, state);

  expect(output).toEqual({ publishedAtEpochMs: 1_767_225_600_250 });
  expect(await tokens.get(testAgentName)).toEqual({
    credentialId: '00000000-0000-4000-8000-000000000001',
    timeline: { serviceMs: 0, portMs: 0, podMs: 0, hostMs: 0, tokenMs: 250 },
    token: {
      agentName: 'davit-github-1-2-1',
      launchId: 'github-1-2-1',
      host: '10.0.0.7',
      port: 30_000,
      tls: false,
      publishedAt: '2026-01-01T00:00:00.250Z',
      // An hour after its deadlines, which sum to 4,020 s.
      expiresAt: '2026-01-01T02:07:00.000Z',
    },
  });
});

test('a later generation has a token of its own, beside the earlier one', async () => {
  await publish(deps, state);
  const second = { ...state, ...nextGeneration(planOf(testLaunchId), 1_767_225_700_000) };

  await publish(deps, { ...second, expose: 'nodePort', nodePort: { port: 30_001, readAtEpochMs: 1 } });

  expect(await tokens.get('davit-github-1-2-1')).toMatchObject({
    token: { port: 30_000, expiresAt: '2026-01-01T02:07:00.000Z' },
  });
  expect(await tokens.get('davit-github-1-2-1-r2')).toMatchObject({
    token: {
      agentName: 'davit-github-1-2-1-r2',
      launchId: 'github-1-2-1',
      port: 30_001,
      expiresAt: '2026-01-01T02:08:40.000Z',
    },
  });
});

test("the token of an unexposed launch has the Pod's own address and the agent's port", async () => {
  const plan = planOf(testLaunchId, { expose: 'none' });

  await publish(deps, { ...plan, expose: 'none', pod, placement });

  expect(await tokens.get(testAgentName)).toMatchObject({ token: { host: '10.244.1.9', port: 8811 } });
});

test("the token of a Pod without a credential id accepts any credential of the agent's name", async () => {
  const plan = planOf(testLaunchId, { expose: 'none' });
  const { made: _made, ...ofEarlierVersion } = pod;

  await publish(deps, { ...plan, expose: 'none', pod: ofEarlierVersion, placement });

  const published = await tokens.get(testAgentName);
  expect(published).toMatchObject({ token: { host: '10.244.1.9' } });
  expect(published).not.toHaveProperty('credentialId');
});

test('a second attempt changes nothing: the first token stays, with its moment', async () => {
  await publish(deps, state);
  const first = await tokens.get(testAgentName);
  deps.clock.advance(5000);

  expect(await publish(deps, state)).toEqual({ publishedAtEpochMs: 1_767_225_600_000 });
  expect(await tokens.get(testAgentName)).toEqual(first);
});

describe('an already published token with another content is a conflict, and stays', () => {
  test.each([
    { what: 'another host', other: { placement: { ...placement, host: '10.0.0.8' } } },
    { what: 'another Pod at the same address', other: { pod } },
    { what: 'another port', other: { nodePort: { port: 30_081, readAtEpochMs: 1_767_225_600_000 } } },
  ])('$what', async ({ other }) => {
    await publish(deps, { ...state, ...other });
    const first = await tokens.get(testAgentName);

    await expect(publish(deps, state)).rejects.toThrow(
      `TokenConflict: published is ${first?.token.host}:${first?.token.port} for the credential ${first?.credentialId} of `,
    );
    expect(await tokens.get(testAgentName)).toEqual(first);
  });

  test('for any credential', async () => {
    const { made: _made, ...ofEarlierVersion } = state.pod;
    await publish(deps, { ...state, pod: ofEarlierVersion });

    await expect(publish(deps, state)).rejects.toThrow('published is 10.0.0.7:30000 for the credential of any id of ');
  });

  test("another launch's", async () => {
    await publish(deps, { ...state, launchId: 'github-9-9-9' });

    await expect(publish(deps, state)).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'TokenConflict',
      message: expect.stringMatching(/ of github-1-2-1 \(launch github-1-2-1, pod davit-github-1-2-1\)$/),
    });
  });
});

test.each([
  { fact: 'no Pod', data: { pod: undefined, placement, nodePort: { port: 30_080, readAtEpochMs: 1 } } },
  { fact: 'no nodePort', data: { placement } },
  { fact: 'a nodePort of zero', data: { placement, nodePort: { port: 0, readAtEpochMs: 1 } } },
  { fact: 'no host', data: { nodePort: { port: 30_080, readAtEpochMs: 1 } } },
  {
    fact: 'an empty host',
    data: { placement: { ...placement, host: '' }, nodePort: { port: 30_080, readAtEpochMs: 1 } },
  },
])("an exposed launch with $fact is refused, and the container's port is no substitute", ({ data }) => {
  expect(PublishTokenInput.safeParse({ ...planOf(testLaunchId), pod, ...data }).success).toBe(false);
});

test.each([
  { expose: 'nodePort' as const, data: { nodePort: { port: 30_080, readAtEpochMs: 1 } } },
  { expose: 'none' as const, data: {} },
])('the data of a launch with expose $expose is accepted', ({ expose, data }) => {
  const input = { ...planOf(testLaunchId, { expose }), pod, placement, ...data };

  expect(PublishTokenInput.parse(input)).toMatchObject({ expose, pod, placement, ...data });
});

test('an unusable host is not published', async () => {
  await expect(publish(deps, { ...state, placement: { ...placement, host: '0.0.0.0' } })).rejects.toThrow(
    'expected an address that can be dialled',
  );
  expect(await tokens.get(testAgentName)).toBeUndefined();
});

test('a table that does not answer is tried again until the deadline', async () => {
  refuseCalls(tokens, 'publish', throttled);

  await expect(publish(deps, state)).rejects.toMatchObject({ name: 'TransientError', code: 'StoreUnavailable' });
  deps.clock.advance(60_000);
  await expect(publish(deps, state)).rejects.toThrow(
    'PublishDeadlineExceeded: PublishToken gave up after 60 s of 60 s; at last: table tokens: throttled',
  );
});

test('a repetition that waits for the agent has its deadline when the table does not answer', async () => {
  deps.clock.advance(500);
  const { publishedAtEpochMs } = await publish(deps, state);
  await deps.launches.noteTimeline(
    state.launchId,
    state.agentName,
    timelineOf({ ...state, token: { publishedAtEpochMs } }),
  );
  refuseCalls(tokens, 'publish', throttled);

  deps.clock.advance(599_000);
  await expect(publish(deps, state)).rejects.toMatchObject({ name: 'TransientError', code: 'StoreUnavailable' });
  deps.clock.advance(1000);
  await expect(publish(deps, state)).rejects.toThrow(
    'ConnectDeadlineExceeded: PublishToken gave up after 600 s of 600 s; at last: table tokens: throttled',
  );
});

test("an earlier generation's token does not extend the deadline", async () => {
  await deps.launches.noteTimeline(state.launchId, state.agentName, { tokenMs: 1 });
  refuseCalls(tokens, 'publish', throttled);
  deps.clock.advance(60_000);

  await expect(publish(deps, { ...state, agentName: AgentName.parse('davit-github-1-2-1-r2') })).rejects.toMatchObject({
    code: 'PublishDeadlineExceeded',
  });
});

import * as fc from 'fast-check';
import { createJoseIssuer, createJoseVerifier } from '../../../../adapters/jose/jose-credentials.ts';
import type { Join } from '../../../../core/ci/join.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import type { CompletedToken } from '../../../../core/launch/completed-token.ts';
import { newRecord, nextGeneration, planLaunch } from '../../../../core/launch/plan-launch.ts';
import type { RegistrationOutcome } from '../../../../core/launch/registration-outcome.ts';
import { answerConnect, type ConnectDeps, tokenWait } from '../../../../functions/connect/connect.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import type { AgentIdentity } from '../../../../ports/credentials.ts';
import { requestOf } from '../../../../runtime/http/request.ts';
import { endingOf, jobRunner } from '../../../contract/launch-fixtures.ts';
import { afterCalls, refuseCalls } from '../../../support/around-calls.ts';
import { FakeRegistrar } from '../../../support/fake-registrar.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';
import { httpEvent } from '../../../support/http-event.ts';
import { makeLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { RecordingLogger, send } from '../../../support/send-http.ts';

const launchId = 'github-1-2-1';
const agentName = `davit-${launchId}`;
const credentialId = '4a1c2f0e-7d3b-4e58-9b61-0c5d2e8f7a90';
const identity = { agentName, launchId, credentialId };
const token: CompletedToken = {
  agentName,
  launchId,
  host: '192.0.2.7',
  port: 30_123,
  tls: false,
  publishedAt: '2026-06-01T10:00:00.000Z',
  expiresAt: '2026-06-01T10:10:00.000Z',
};
const published = { token, credentialId };
const expired = { ...token, expiresAt: '2026-06-01T10:00:00.000Z' };
const ending = endingOf({ atEpochMs: testNowEpochMs });

const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Sampled=1';
const jose = { keys: fixedSigning('k'.repeat(32)), nowEpochMs: () => testNowEpochMs };
const issuer = createJoseIssuer(jose);

async function credentialOf(other: Partial<AgentIdentity> = {}): Promise<string> {
  return issuer.issue({ ...identity, ...other }, testNowEpochMs / 1000 + 60);
}

/** A launch under way without a published token. @param join @default its agent joins no CI system */
async function makeDeps(join?: Join) {
  const made = makeLaunchDeps({ newNonce: () => 'a nonce' });
  await made.launches.request(newRecord(planLaunch(makeProfile(), { launchId, traceHeader, join }, testNowEpochMs)));
  return {
    ...made,
    registrar: new FakeRegistrar(),
    sleep: async (_ms: number): Promise<void> => undefined,
    tokens: sqliteTokens(openStore(':memory:')),
    credentials: { ...createJoseVerifier(jose), ...issuer },
  };
}
type Deps = Awaited<ReturnType<typeof makeDeps>> & Pick<ConnectDeps, 'traces'>;

/** Begins the launch's second generation; returns its plan. */
async function relaunchOnce({ launches }: Deps) {
  const plan = nextGeneration(planLaunch(makeProfile(), { launchId }, testNowEpochMs), testNowEpochMs);
  const drained = { agentName, code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: testNowEpochMs };
  await launches.relaunch(plan, drained);
  return plan;
}

let deps: Deps;
let bearer: string;

beforeEach(async () => {
  deps = await makeDeps();
  bearer = `Bearer ${await credentialOf()}`;
});

async function ask(
  by: Deps,
  authorization?: string,
  name: string = agentName,
  logger: RecordingLogger = new RecordingLogger(),
) {
  const request = {
    path: `/agents/${name}/connect`,
    parameters: { agentName: name },
    headers: authorization === undefined ? {} : { authorization },
  };
  return send((parsed) => answerConnect(by, parsed), request, logger);
}

/** Asks with the credential of the agent's Pod. */
const connect = () => ask(deps, bearer);

/** The runner that a registration stores. */
const runner = { id: 7, name: 'davit-0a1b2c3d-github-1-2-1' };
const join: Join = { ciSystem: 'github', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };

/** A launch whose agent joins a CI system, and whose token is published. */
async function makeJoiningDeps() {
  const made = await makeDeps(join);
  await made.tokens.publish(published);
  return made;
}

test.each([
  ['joins a CI system', makeJoiningDeps],
  ['joins none', async () => makeDeps()],
])("an agent that %s copies its token's timeline to its launch's record", async (_how, make) => {
  const timeline = { serviceMs: 40, portMs: 60, podMs: 130, scheduledMs: -400, hostMs: 1900, tokenMs: 2000 };
  deps = { ...(await make()), tokens: sqliteTokens(openStore(':memory:')) };
  await deps.tokens.publish({ ...published, timeline });

  const { body } = await connect();

  expect(await deps.launches.get(launchId)).toMatchObject({ timeline });
  expect(body).not.toHaveProperty('timeline');
});

describe('an agent that joins a CI system', () => {
  beforeEach(async () => {
    deps = await makeJoiningDeps();
  });

  test('gets the whole token and its registration secret once it is registered', async () => {
    const answer = await connect();

    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({ ...token, environment: { JOIN_WITH: 'a secret' } });
    expect(deps.registrar.asked).toEqual([{ launchId, agentName, nonce: 'a nonce' }]);
    expect(await deps.launches.get(launchId)).toMatchObject({
      status: 'launching',
      registration: { nonce: 'a nonce', count: 1 },
    });
  });

  test('gets the same as assignments for a shell, on request', async () => {
    const headers = { authorization: bearer, accept: 'text/x-shellscript' };

    const { body } = await answerConnect(deps, requestOf(httpEvent({ parameters: { agentName }, headers })));

    expect(body).toContain("JOIN_WITH='a secret'");
    expect(body).toContain("DAVIT_HOST='192.0.2.7'");
  });

  test('is not registered before its token is published', async () => {
    deps.tokens = sqliteTokens(openStore(':memory:'));

    const answer = await connect();

    expect(answer).toMatchObject({ status: 503, body: { type: 'https://davit.dev/problems/token-pending' } });
    expect(deps.registrar.asked).toEqual([]);
  });

  test.each([
    ['is ended', () => deps.launches.end(launchId, ending)],
    ['is retired', () => deps.registrations.retire(launchId, 'surplus', testNowEpochMs)],
    [
      'runs something',
      async () => {
        const runnerOfJob = jobRunner(runner.id, { ciSystem: 'github' });
        await deps.registrations.begin(identity, 'earlier', testNowEpochMs);
        await deps.registrations.complete(identity, 'earlier', runner, testNowEpochMs);
        await deps.registrations.bind(launchId, runnerOfJob, { jobKey: 'github/1/2/1' }, testNowEpochMs);
      },
    ],
  ])('whose launch %s gets 410, and is not registered', async (_what, happens) => {
    await happens();

    const answer = await connect();

    expect(answer).toMatchObject({ status: 410, body: { type: 'https://davit.dev/problems/launch-over' } });
    expect(deps.registrar.asked).toEqual([]);
  });

  test('whose request arrives after a later one of its own begins no registration', async () => {
    await deps.registrations.begin(identity, 'later', testNowEpochMs + 1);

    await connect();

    expect(await deps.launches.get(launchId)).toMatchObject({ registration: { nonce: 'later', count: 1 } });
  });

  const bad = 'github: POST /orgs/acme/actions/runners/generate-jitconfig: 502: Bad gateway';
  const early = "github takes 160 registrations a minute: this agent's turn comes in about 42 s";
  const unavailable = { outcome: 'unavailable', code: 'CiUnavailable' } as const;
  const pending = { type: 'https://davit.dev/problems/registration-pending', launchId };

  test.each<[what: string, outcome: RegistrationOutcome, answer: object]>([
    ['whose launch went on without it during the registration gets 410', { outcome: 'over' }, { status: 410 }],
    [
      'must ask again when a later request of its own has superseded this one',
      { outcome: 'superseded' },
      {
        status: 503,
        headers: { 'retry-after': '1' },
        body: { ...pending, detail: 'The agent asked again meanwhile.' },
      },
    ],
    [
      "that its CI system does not register gets the CI system's words, and must ask again",
      { ...unavailable, detail: bad },
      { status: 503, headers: { 'retry-after': '5' }, body: { ...pending, code: 'CiUnavailable', detail: bad } },
    ],
    [
      'whose turn at its CI system has not come is told when to ask again',
      { ...unavailable, detail: early, retryAfterSeconds: 42 },
      { status: 503, headers: { 'retry-after': '42' }, body: { detail: early } },
    ],
  ])('%s', async (_what, outcome, answer) => {
    deps.registrar.outcome = outcome;

    expect(await connect()).toMatchObject(answer);
  });

  test('leaves no secret in the log', async () => {
    const logger = new RecordingLogger();

    await ask(deps, bearer, agentName, logger);

    expect(logger.lines).toHaveLength(1);
    expect(JSON.stringify(logger.lines)).not.toContain('a secret');
  });
});

describe('an agent whose token is not published when it asks', () => {
  test('gets it if it is published within the wait', async () => {
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      if (slept.length === 2) await deps.tokens.publish(published);
    };

    const answer = await ask({ ...deps, sleep }, bearer);

    expect(answer).toMatchObject({ status: 200, body: token });
    expect(slept).toEqual([50, 100]);
  });

  test.each([
    { what: 'less than 15 s old', ageMs: tokenWait.ageMs - 1, waits: [50, 100, 200, 350] },
    { what: '15 s old', ageMs: tokenWait.ageMs, waits: [] },
  ])('and whose credential is $what is answered 503 after pauses of $waits ms', async ({ ageMs, waits }) => {
    const slept: number[] = [];
    const sleep = async (ms: number) => void slept.push(ms);

    const answer = await ask({ ...deps, sleep, nowEpochMs: () => testNowEpochMs + ageMs }, bearer);

    expect(answer).toMatchObject({ status: 503, body: { type: 'https://davit.dev/problems/token-pending' } });
    expect(slept).toEqual(waits);
  });

  test('and whose launch ends during the wait gets 410', async () => {
    const sleep = async () => void (await deps.launches.end(launchId, ending));

    expect(await ask({ ...deps, sleep }, bearer)).toMatchObject({ status: 410 });
  });
});

describe('an agent with its credential', () => {
  test('must ask again while its token is not published', async () => {
    const answer = await connect();

    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'content-type': 'application/problem+json' },
      body: {
        type: 'https://davit.dev/problems/token-pending',
        detail: "The launch is under way; its agent's address is not published yet.",
        launchId,
      },
    });
    expect(await deps.launches.get(launchId)).toMatchObject({ status: 'launching' });
  });

  test.each([
    { query: { as: 'env' }, headers: {} },
    { query: {}, headers: { accept: 'text/x-shellscript' } },
    { query: {}, headers: { accept: 'text/x-shellscript; q=1, */*' } },
    { query: {}, headers: { accept: 'text/x-shellscript , */*' } },
  ])('that asks with %j gets it as assignments for a shell', async ({ query, headers }) => {
    await deps.tokens.publish(published);
    const request = { parameters: { agentName }, query, headers: { ...headers, authorization: bearer } };

    const answer = await answerConnect(deps, requestOf(httpEvent(request)));

    expect(answer).toEqual({
      subject: { launchId, agentName },
      statusCode: 200,
      headers: { 'content-type': 'text/x-shellscript; charset=utf-8', 'cache-control': 'no-store' },
      body: [
        '# davit: begin',
        "DAVIT_AGENT_NAME='davit-github-1-2-1'",
        "DAVIT_LAUNCH_ID='github-1-2-1'",
        "DAVIT_HOST='192.0.2.7'",
        "DAVIT_PORT='30123'",
        "DAVIT_TLS='false'",
        "DAVIT_PUBLISHED_AT='2026-06-01T10:00:00.000Z'",
        "DAVIT_EXPIRES_AT='2026-06-01T10:10:00.000Z'",
        '# davit: end',
        '',
      ].join('\n'),
    });
  });

  test.each([
    { what: 'that is pending', publish: undefined, isOver: false },
    { what: 'that is published', publish: published, isOver: false },
    { what: 'of a launch that is over', publish: undefined, isOver: true },
  ])('that meets a token $what is logged with its launch and its name', async ({ publish, isOver }) => {
    const logger = new RecordingLogger();
    if (publish !== undefined) await deps.tokens.publish(publish);
    if (isOver) await deps.launches.end(launchId, ending);

    await ask(deps, bearer, agentName, logger);

    expect(logger.lines).toMatchObject([{ keys: { launchId, agentName } }]);
  });

  test('gets the whole token once it is published, the same each time, and its launch keeps the first moment', async () => {
    await deps.tokens.publish(published);
    const first = await connect();

    const again = await ask({ ...deps, nowEpochMs: () => testNowEpochMs + 5000 }, `bearer  ${await credentialOf()}`);

    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(first.body).toEqual(token);
    expect(again.body).toEqual(token);
    expect(await deps.launches.get(launchId)).toMatchObject({
      status: 'connected',
      connectedAtEpochMs: testNowEpochMs,
    });
  });

  test.each<[what: string, happens: () => unknown]>([
    ['that is over', () => deps.launches.end(launchId, ending)],
    ['whose token has expired', () => deps.tokens.publish({ token: expired, credentialId })],
    ['that is forgotten', () => (deps.launches = makeLaunchDeps().launches)],
    [
      'that is over, with a token',
      async () => {
        await deps.tokens.publish(published);
        await deps.launches.end(launchId, ending);
      },
    ],
    [
      'that ends after its record was read',
      async () => {
        await deps.tokens.publish(published);
        afterCalls(deps.launches, 'get', () => deps.launches.end(launchId, ending));
      },
    ],
    [
      'whose next agent has connected',
      async () => {
        await deps.tokens.publish(published);
        const { agentName: second } = await relaunchOnce(deps);
        await deps.launches.markConnected({ agentName: second, launchId }, testNowEpochMs);
      },
    ],
  ])('of a launch %s gets 410', async (_what, happens) => {
    await happens();

    const answer = await connect();

    expect(answer).toMatchObject({
      status: 410,
      body: {
        type: 'https://davit.dev/problems/launch-over',
        detail: 'The launch failed, was terminated, has expired, or goes on with another agent.',
        launchId,
      },
    });
  });

  test.each([
    { what: 'no token yet', publish: undefined },
    { what: 'a token of its own', publish: published },
  ])('whose earlier generation has $what gets 410, and does not connect', async ({ publish }) => {
    if (publish !== undefined) await deps.tokens.publish(publish);
    await relaunchOnce(deps);

    const answer = await connect();

    expect(answer).toMatchObject({ status: 410, body: { type: 'https://davit.dev/problems/launch-over', launchId } });
    expect(await deps.launches.get(launchId)).toMatchObject({ status: 'launching' });
  });

  test('whose generation is the present one connects after a relaunch', async () => {
    const { agentName: second } = await relaunchOnce(deps);
    const own = `Bearer ${await credentialOf({ agentName: second })}`;

    const early = await ask(deps, own, second);
    await deps.tokens.publish({ token: { ...token, agentName: second, port: 30_124 }, credentialId });
    const answer = await ask(deps, own, second);

    expect(early).toMatchObject({ status: 503, body: { type: 'https://davit.dev/problems/token-pending' } });
    expect(answer).toMatchObject({ status: 200, body: { agentName: `davit-${launchId}-r2`, port: 30_124 } });
    expect(await deps.launches.get(launchId)).toMatchObject({ status: 'connected' });
  });

  test("with the credential of another Pod of its name gets 410; the Pod's own agent connects", async () => {
    const other = `Bearer ${await credentialOf({ credentialId: '9b0e6d51-6f0c-4f4e-8a43-2f6a5b8c7d10' })}`;

    const early = await ask(deps, other);
    await deps.tokens.publish(published);
    const late = await ask(deps, other);

    expect(early).toMatchObject({ status: 503 });
    expect(late).toMatchObject({ status: 410, body: { type: 'https://davit.dev/problems/launch-over', launchId } });
    expect(await deps.launches.get(launchId)).toMatchObject({ status: 'launching' });
    expect(await connect()).toMatchObject({ status: 200, body: token });
    expect(await ask(deps, other)).toMatchObject({ status: 410 });
  });

  test.each([
    { what: 'a token without one', publish: { token }, status: 200 },
    { what: 'a token for the one of its Pod', publish: published, status: 410 },
  ])('whose credential has no id, as in version 0.1.0, gets $status for $what', async ({ publish, status }) => {
    await deps.tokens.publish(publish);
    const verify = async () => ({ agentName, launchId, issuedAtEpochMs: testNowEpochMs });

    const answer = await ask({ ...deps, credentials: { ...issuer, verify } }, bearer);

    expect(answer.status).toBe(status);
  });

  test('gets different answers for an unavailable table and a missing token', async () => {
    refuseCalls(deps.tokens, 'get', new TransientError('StoreUnavailable', 'DynamoDB GetItem: throttled'));

    expect(await connect()).toMatchObject({ status: 503, body: { type: 'https://davit.dev/problems/unavailable' } });
  });

  test('gets only the published token, however publishing, ending and asking interleave', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, ends) => {
        deps = await makeDeps();
        deps.tokens.get = scheduler.scheduleFunction(deps.tokens.get.bind(deps.tokens));
        deps.launches.get = scheduler.scheduleFunction(deps.launches.get.bind(deps.launches));
        const publish = scheduler.scheduleFunction(deps.tokens.publish.bind(deps.tokens));
        const end = scheduler.scheduleFunction(deps.launches.end.bind(deps.launches));

        const asked = Promise.all([1, 2, 3].map(() => connect()));
        const happened = Promise.all([publish(published), ...(ends ? [end(launchId, ending)] : [])]);
        const answers = await scheduler.waitFor(asked);
        await scheduler.waitFor(happened);

        for (const { status, body } of answers) {
          expect(ends ? [200, 410, 503] : [200, 503]).toContain(status);
          if (status === 200) expect(body).toEqual(token);
        }
      }),
    );
  });
});

describe('a request without a valid credential for the agent', () => {
  const refusal = {
    type: 'https://davit.dev/problems/credential-refused',
    title: 'The credential is missing or not accepted',
    status: 401,
    detail: 'The request has no credential that is valid for this agent.',
  };

  async function expectRefused(authorization: string | undefined, name?: string) {
    deps = await makeDeps();
    await deps.tokens.publish(published);

    const answer = await ask(deps, authorization, name);

    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(answer.body).toEqual(refusal);
    expect(await deps.launches.get(launchId)).toMatchObject({ status: 'launching' });
  }

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'Bearer é', 'Bearer \0'])(
    'is refused in the same words (authorization: %p)',
    async (authorization) => expectRefused(authorization),
  );

  test('is refused in the same words (a credential sent twice)', async () => expectRefused(`${bearer},${bearer}`));

  test('is refused in the same words for an agent of any name', async () => {
    const odd = fc.constantFrom('../x', 'a/b', '__proto__');
    const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), odd);
    await fc.assert(fc.asyncProperty(name, async (other) => expectRefused(bearer, other)));
  });
});

describe('in the trace of its launch', () => {
  /** Uses a clock that advances with each reading. @returns the recorded trace segments */
  async function traceConnects() {
    const noted: Parameters<NonNullable<ConnectDeps['traces']>['agentConnected']>[] = [];
    let nowEpochMs = testNowEpochMs;
    const traces: ConnectDeps['traces'] = { agentConnected: async (...told) => void noted.push(told) };
    deps = { ...deps, nowEpochMs: () => nowEpochMs++, traces };
    return noted;
  }

  test("a successful connect adds a segment by the launch's header, with the duration of its answer", async () => {
    const noted = await traceConnects();
    await deps.tokens.publish(published);

    await connect();

    expect(noted).toMatchObject([
      [
        { launchId, agentName, traceHeader },
        { fromEpochMs: testNowEpochMs, toEpochMs: testNowEpochMs + 2 },
      ],
    ]);
  });

  test('an agent that must ask again leaves no segment', async () => {
    const noted = await traceConnects();

    await connect();

    expect(noted).toEqual([]);
  });
});

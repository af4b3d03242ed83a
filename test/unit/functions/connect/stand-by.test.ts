import { createJoseIssuer, createJoseVerifier } from '../../../../adapters/jose/jose-credentials.ts';
import type { Join } from '../../../../core/ci/join.ts';
import type { SeenJob } from '../../../../core/job/job-record.ts';
import { credentialNumberOf } from '../../../../core/launch/credential-id.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { standbyPace } from '../../../../functions/connect/await-summons.ts';
import { answerConnect } from '../../../../functions/connect/connect.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteTokens } from '../../../../local/store/sqlite-tokens.ts';
import { requestOf } from '../../../../runtime/http/request.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import { FakeRegistrar } from '../../../support/fake-registrar.ts';
import { fixedSigning } from '../../../support/fixed-secrets.ts';
import { httpEvent } from '../../../support/http-event.ts';
import { makeLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { seenJob } from '../../../support/seen-job.ts';
import { type Answer, send } from '../../../support/send-http.ts';

const launchId = 'gitea-1-2-1';
const agentName = `davit-${launchId}`;
const credentialId = '4a1c2f0e-7d3b-4e58-9b61-0c5d2e8f7a90';
const scope = { organization: 'acme' };
const join: Join = { ciSystem: 'gitea', scope, labels: ['linux'], idleSeconds: 300, standsBy: true };
const jobKey = 'gitea/1/2/1';
const job = seenJob({ repositoryId: 1, jobId: 2 });

/** A launch of a pool with warm agents, whose token is published. The clock moves while connect sleeps. */
async function makeWorld(given: { jobKey?: string; summoned?: string } = {}) {
  let nowEpochMs = testNowEpochMs;
  const made = makeLaunchDeps({ nowEpochMs: () => nowEpochMs, newNonce: () => 'a nonce' });
  const keys = { keys: fixedSigning('k'.repeat(32)), nowEpochMs: made.nowEpochMs };
  const credentials = { ...createJoseVerifier(keys), ...createJoseIssuer(keys) };
  await made.launches.request(newRecord(planLaunch(makeProfile(), { launchId, join, ...given }, testNowEpochMs)));
  const tokens = sqliteTokens(openStore(':memory:'));
  const expiresAt = new Date(testNowEpochMs + 86_400_000).toISOString();
  const publishedAt = new Date(testNowEpochMs).toISOString();
  const token = { agentName, launchId, host: '192.0.2.7', port: 9, tls: false, publishedAt, expiresAt };
  await tokens.publish({ token, credentialId });
  const world = {
    ...made,
    registrar: new FakeRegistrar(),
    tokens,
    credentials,
    slept: [] as number[],
    /** Runs after each of connect's pauses. */
    meanwhile: async (_pauses: number): Promise<unknown> => undefined,
    pass: (ms: number) => (nowEpochMs += ms),
    issue: (id = credentialId) =>
      credentials.issue({ agentName, launchId, credentialId: id }, Math.floor(nowEpochMs / 1000) + 3600),
    sleep: async (ms: number) => {
      world.slept.push(ms);
      nowEpochMs += ms;
      await world.meanwhile(world.slept.length);
    },
    ask: (credential: string) => send((parsed) => answerConnect(world, parsed), requestWith(credential)),
  };
  return world;
}

function requestWith(credential: string, headers: Record<string, string> = {}) {
  return {
    path: `/agents/${agentName}/connect`,
    parameters: { agentName },
    headers: { ...headers, authorization: `Bearer ${credential}` },
  };
}

type World = Awaited<ReturnType<typeof makeWorld>>;
let world: World;

/** Asks with the credential of the Pod. */
const ask = async () => world.ask(await world.issue());

function renewedIn({ headers }: Answer): string {
  return String(headers['davit-credential']);
}

const standsBy = { status: 503, body: { type: 'https://davit.dev/problems/standing-by', launchId } };

describe('an agent without a job', () => {
  beforeEach(async () => {
    world = await makeWorld();
  });

  test('stands by, connected and without a registration, and is told to ask again after 20 s', async () => {
    const answer = await ask();

    expect(answer).toMatchObject({ ...standsBy, headers: { 'retry-after': '1' } });
    expect(world.slept).toEqual(Array.from({ length: 80 }, () => standbyPace.lookMs));
    expect(world.registrar.asked).toEqual([]);
    const record = await world.launches.get(launchId);
    expect(record).toMatchObject({ status: 'connected', standby: { sinceEpochMs: testNowEpochMs } });
    expect(record).not.toHaveProperty('registration');
  });

  test('is registered at the look after its summons, and gets its answer', async () => {
    world.meanwhile = async (pauses) =>
      pauses === 3 && world.registrations.summon(launchId, 'gitea/1/9/1', testNowEpochMs);

    const answer = await ask();

    expect(answer).toMatchObject({ status: 200, body: { environment: { JOIN_WITH: 'a secret' } } });
    expect(world.slept).toHaveLength(3);
    expect(world.registrar.asked).toHaveLength(1);
  });

  test('that was summoned between two questions is registered at once', async () => {
    await ask();
    await world.registrations.summon(launchId, 'gitea/1/9/1', testNowEpochMs);
    world.slept.length = 0;

    expect(await ask()).toMatchObject({ status: 200 });
    expect(world.slept).toEqual([]);
  });

  test.each([
    ['retired', (over: World) => over.registrations.retire(launchId, 'surplus', 0)],
    ['ended', (over: World) => over.launches.end(launchId, endingOf({ atEpochMs: testNowEpochMs }))],
  ])('whose launch is %s while connect holds its request gets 410', async (_what, over) => {
    world.meanwhile = async (pauses) => pauses === 2 && over(world);

    expect(await ask()).toMatchObject({ status: 410 });
    expect(world.slept).toHaveLength(2);
  });
});

describe('an agent that was launched for a job', () => {
  beforeEach(async () => {
    world = await makeWorld({ jobKey });
  });

  test.each([
    ['waits', job],
    ['has no record', undefined],
    ['runs, and nobody says on which runner', { ...job, status: 'in_progress' }],
    ['runs on a runner that no launch has', { ...job, status: 'in_progress', runner: { id: 7, name: 'x' } }],
  ] as const)('is registered if the job %s', async (_what, seen) => {
    if (seen !== undefined) await world.jobs.note({ ...seen, labels: [...seen.labels] }, testNowEpochMs);

    expect(await ask()).toMatchObject({ status: 200 });
    expect(world.registrar.asked).toHaveLength(1);
  });

  test('stands by if the job was cancelled in the queue', async () => {
    await world.jobs.note({ ...job, status: 'completed', conclusion: 'cancelled' }, testNowEpochMs);

    expect(await ask()).toMatchObject(standsBy);
  });

  test('stands by if a warm agent has the job', async () => {
    await takenBy(job, 'gitea-warm-0a1b2c3d4e5f-1');

    expect(await ask()).toMatchObject(standsBy);
  });

  test('is registered if the agent that has the job was launched for one that waits', async () => {
    await world.jobs.note({ ...job, jobId: 3 }, testNowEpochMs);
    await takenBy(job, 'gitea-1-3-1', 'gitea/1/3/1');

    expect(await ask()).toMatchObject({ status: 200 });
  });

  test("stands by at the end of a chain of agents that have each other's jobs", async () => {
    await takenBy(job, 'gitea-1-3-1', 'gitea/1/3/1');
    await takenBy({ ...job, jobId: 3 }, 'gitea-warm-0a1b2c3d4e5f-1');

    expect(await ask()).toMatchObject(standsBy);
  });

  test('stands by if an agent has the job that stood by before, however many jobs came after that one', async () => {
    await world.jobs.note({ ...job, jobId: 3 }, testNowEpochMs);
    await takenBy(job, 'gitea-1-3-1', 'gitea/1/3/1');
    await world.registrations.standBy({ launchId: 'gitea-1-3-1', agentName: 'davit-gitea-1-3-1' }, testNowEpochMs);

    expect(await ask()).toMatchObject(standsBy);
  });

  test('lets the agent that was summoned for its job go first, for ten seconds, and then registers', async () => {
    world = await makeWorld({ jobKey, summoned: 'gitea-warm-0a1b2c3d4e5f-1' });
    await world.jobs.note(job, testNowEpochMs);

    expect(await ask()).toMatchObject({ status: 200 });
    expect(world.slept).toHaveLength(10_000 / standbyPace.lookMs);
  });

  test('stands by once the agent that was summoned for its job has the job', async () => {
    world = await makeWorld({ jobKey, summoned: 'gitea-warm-0a1b2c3d4e5f-1' });
    await world.jobs.note(job, testNowEpochMs);
    world.meanwhile = async (pauses) => pauses === 4 && takenBy(job, 'gitea-warm-0a1b2c3d4e5f-1');

    expect(await ask()).toMatchObject(standsBy);
    expect(await world.launches.get(launchId)).toMatchObject({ standby: { sinceEpochMs: testNowEpochMs + 1000 } });
  });

  test('goes on to register if it has begun, although its job is taken by then', async () => {
    await world.registrations.begin({ agentName, launchId }, 'earlier', testNowEpochMs - 1);
    await takenBy(job, 'gitea-warm-0a1b2c3d4e5f-1');

    expect(await ask()).toMatchObject({ status: 200 });
  });
});

/** Notes that a launch's agent runs a job. */
async function takenBy(seen: SeenJob, takerId: string, takersJob?: string): Promise<void> {
  const request = { launchId: takerId, jobKey: takersJob, join };
  await world.launches.request(newRecord(planLaunch(makeProfile(), request, testNowEpochMs)));
  await world.jobs.note({ ...seen, status: 'in_progress', runner: { id: 7, name: 'a runner' } }, testNowEpochMs);
  await world.jobs.noteRanBy(seen, takerId);
}

describe('the credential of an agent that stands by', () => {
  beforeEach(async () => {
    world = await makeWorld();
  });

  test('is renewed at once when it is the one in the Pod, and then each ten minutes', async () => {
    const first = await ask();
    const renewed = renewedIn(first);
    const second = await world.ask(renewed);
    world.pass(600_000);
    const third = await world.ask(renewed);

    expect(credentialNumberOf((await world.credentials.verify(renewed))?.credentialId ?? '')).toEqual({
      madeAs: credentialId,
      renewals: 1,
    });
    expect(second).toMatchObject(standsBy);
    expect(second.headers).not.toHaveProperty('davit-credential');
    expect((await world.credentials.verify(renewedIn(third)))?.credentialId).toBe(`${credentialId}/2`);
  });

  test('stays good until the new one is used, and not longer', async () => {
    const pods = await world.issue();
    const first = await world.ask(pods);
    const afterLostAnswer = await world.ask(pods);

    await world.ask(renewedIn(first));

    expect(afterLostAnswer).toMatchObject(standsBy);
    expect(await world.ask(pods)).toMatchObject({ status: 401 });
    expect((await world.launches.get(launchId))?.standby).toMatchObject({ renewals: 1 });
  });

  test('ends the wait of whoever asks with the old one', async () => {
    const pods = await world.issue();
    world.meanwhile = async (pauses) => pauses === 2 && world.registrations.noteRenewal({ agentName, launchId }, 1);

    expect(await world.ask(pods)).toMatchObject({ status: 401 });
    expect(world.slept).toHaveLength(2);
  });

  test('comes in a 202 to an agent that asks for one, because some programs show nothing of an error', async () => {
    const askForAny = (credential: string) =>
      answerConnect(
        world,
        requestOf(httpEvent(requestWith(credential, { accept: 'text/x-shellscript; standby=202' }))),
      );

    const answer = await askForAny(await world.issue());
    const [, credential = ''] = /^# davit: credential (\S+) \.\n$/.exec(answer.body) ?? [];
    const next = await askForAny(credential);

    expect(answer).toMatchObject({ statusCode: 202, headers: { 'retry-after': '1' } });
    expect(next).toMatchObject({ statusCode: 202, body: '# davit: stands by\n' });
  });

  test('of another Pod is refused, however often it was renewed', async () => {
    expect(await world.ask(await world.issue('another/3'))).toMatchObject({ status: 410 });
  });
});

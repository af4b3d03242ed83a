import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { apiLaunchId } from '../../../../functions/domain/names.ts';
import { nextGeneration, planLaunch } from '../../../../functions/domain/plan-launch.ts';
import { answerLaunches } from '../../../../functions/launches/launches.ts';
import type { EventOptions } from '../../../support/http-event.ts';
import type { TestLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { send } from '../../../support/send-http.ts';

const launchId = apiLaunchId('build/7');

async function ask(deps: TestLaunchDeps, options: EventOptions) {
  return send((request) => answerLaunches(deps, request), options);
}

async function post(deps: TestLaunchDeps, body: unknown) {
  return ask(deps, { method: 'POST', path: '/launches', body: JSON.stringify(body) });
}

async function list(deps: TestLaunchDeps, query: Record<string, string>) {
  return ask(deps, { method: 'GET', path: '/launches', query });
}

async function one(deps: TestLaunchDeps, method: 'GET' | 'DELETE', id: string = launchId) {
  return ask(deps, { method, path: '/launches/{launchId}', parameters: { launchId: id } });
}

/** Begins the launch's second and third generation, 30 s and 90 s after it was asked for. */
async function relaunchTwice({ launches }: TestLaunchDeps): Promise<void> {
  const first = planLaunch(makeProfile(), { launchId }, testNowEpochMs);
  const second = nextGeneration(first, testNowEpochMs + 30_000);
  const third = nextGeneration(second, testNowEpochMs + 90_000);
  await launches.relaunch(second, {
    agentName: first.agentName,
    code: 'PodEvicted',
    message: 'PodEvicted: The node was low on resource: memory.',
    endedAtEpochMs: testNowEpochMs + 30_000,
  });
  await launches.relaunch(third, {
    agentName: second.agentName,
    code: 'NodeLost',
    message: 'NodeLost: node-1 was shut down',
    endedAtEpochMs: testNowEpochMs + 90_000,
  });
}

describe('POST /launches', () => {
  test('asks for a launch, and keeps labels and environment in its record', async () => {
    const deps = makeLaunchDeps();

    const answer = await post(deps, {
      profile: 'linux',
      jobId: 'build/7',
      labels: { 'example.com/team': 'core', stage: '' },
      env: { BRANCH: 'main' },
      sourceUrl: 'https://ci.example/build/7',
    });

    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/launches/${launchId}` },
      body: { launchId, agentName: `davit-${launchId}`, profile: 'linux', cluster: 'sandbox', status: 'launching' },
    });
    expect(await deps.launches.get(launchId)).toMatchObject({
      labels: { 'example.com/team': 'core', stage: '' },
      env: { BRANCH: 'main' },
    });
    expect(JSON.stringify(deps.executions.started.get(launchId))).not.toContain('BRANCH');
  });

  test('of the same job twice is the same launch', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });

    const answer = await post(deps, { profile: 'linux', jobId: 'build/7', env: { LATE: 'x' } });

    expect(answer).toMatchObject({ status: 200, body: { launchId, duplicate: true } });
    expect(deps.executions.started.size).toBe(1);
  });

  test('of the same job names its present agent when it was launched again', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    await relaunchTwice(deps);

    const answer = await post(deps, { profile: 'linux', jobId: 'build/7' });

    expect(answer).toMatchObject({ status: 200, body: { duplicate: true, agentName: `davit-${launchId}-r3` } });
    expect(deps.executions.started.size).toBe(1);
  });

  test('of the same job with another profile is a conflict', async () => {
    const deps = makeLaunchDeps({ profiles: [makeProfile(), makeProfile({ name: 'gpu' })] });
    await post(deps, { profile: 'linux', jobId: 'build/7' });

    const answer = await post(deps, { profile: 'gpu', jobId: 'build/7' });

    expect(answer).toMatchObject({
      status: 409,
      body: { type: 'https://davit.dev/problems/launch-conflict', launchId, profile: 'linux' },
    });
  });

  test('of a job whose launch is over says why', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    await one(deps, 'DELETE');

    const answer = await post(deps, { profile: 'linux', jobId: 'build/7' });

    expect(answer).toMatchObject({
      status: 200,
      body: { duplicate: true, status: 'cleaning', reason: 'DELETE /launches: the launch was deleted' },
    });
  });

  test('of a job that only Step Functions remembers is accepted, and left to the sweep', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    deps.executions.finish(launchId);
    const later = { ...makeLaunchDeps(), executions: deps.executions };

    const answer = await post(later, { profile: 'linux', jobId: 'build/7' });

    expect(answer).toMatchObject({ status: 202, body: { status: 'launching' } });
    expect(later.cleanUps.requested).toEqual([]);
  });

  test('job ids that differ have launches that differ', async () => {
    const jobId = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.constantFrom('a/b', 'a-b', 'A-B', '../..', 'é', 'e\u0301', ' ', 'x'.repeat(200), `${'x'.repeat(199)}y`),
    );
    await fc.assert(
      fc.asyncProperty(jobId, jobId, async (first, second) => {
        const deps = makeLaunchDeps();

        const answers = [first, second].map((id) => post(deps, { profile: 'linux', jobId: id }));
        const statuses = (await Promise.all(answers)).map(({ status }) => status);

        expect(statuses).toEqual(first === second ? [202, 200] : [202, 202]);
      }),
    );
  });

  test('of a profile that is not there says which there are', async () => {
    const answer = await post(makeLaunchDeps(), { profile: 'linus', jobId: '7' });

    expect(answer).toMatchObject({
      status: 400,
      body: { type: 'https://davit.dev/problems/profile-unknown', profiles: ['linux'] },
    });
  });

  test.each([
    { what: 'no job id', body: {}, detail: 'jobId: Invalid input: expected string, received undefined' },
    { what: 'an empty job id', body: { jobId: '' }, detail: 'jobId: Too small' },
    { what: 'a job id of 201 characters', body: { jobId: 'x'.repeat(201) }, detail: 'jobId: Too big' },
    { what: 'half a character', body: { jobId: '\uD800' }, detail: 'jobId: expected well-formed Unicode' },
    {
      what: 'half a character in a variable',
      body: { jobId: '7', env: { A: '\uDC00x' } },
      detail: 'env.A: expected well-formed Unicode',
    },
    {
      what: 'half a character in a link',
      body: { jobId: '7', sourceUrl: 'https://ci.example.com/\uD83D' },
      detail: 'sourceUrl: expected well-formed Unicode',
    },
    {
      what: 'half a character in a profile',
      body: { profile: '\uD83D', jobId: '7' },
      detail: 'profile: expected well-formed Unicode',
    },
    { what: 'an unknown key', body: { jobId: '7', image: 'x' }, detail: 'Unrecognized key: "image"' },
    {
      what: 'a label key that Kubernetes refuses',
      body: { jobId: '7', labels: { 'a b': '' } },
      detail: 'expected a Kubernetes label key',
    },
    {
      what: 'a label value that Kubernetes refuses',
      body: { jobId: '7', labels: { a: '-' } },
      detail: 'labels.a: expected a Kubernetes label value',
    },
    {
      what: "davit's own variable",
      body: { jobId: '7', env: { DAVIT_CREDENTIAL: 'x' } },
      detail: 'env.DAVIT_CREDENTIAL: expected no name that starts with DAVIT_',
    },
    { what: 'a name that no shell takes', body: { jobId: '7', env: { 'A-B': 'x' } }, detail: 'expected the name of' },
    { what: 'a NUL', body: { jobId: '7', env: { A: 'x\0' } }, detail: 'env.A: expected no NUL' },
    {
      what: 'too large an environment',
      body: { jobId: '7', env: { A: 'x'.repeat(65_536) } },
      detail: 'env: expected at most 65536 bytes in all',
    },
    {
      what: 'a link that runs',
      body: { jobId: '7', sourceUrl: 'javascript:alert(1)' },
      detail: 'sourceUrl: Invalid URL',
    },
  ])('with $what is answered 400, saying so', async ({ body, detail }) => {
    const answer = await post(makeLaunchDeps(), { profile: 'linux', ...body });

    expect(answer).toMatchObject({
      status: 400,
      body: { type: 'https://davit.dev/problems/request-invalid', detail: expect.stringContaining(detail) },
    });
  });

  test.each([
    'davit.dev/x',
    'sub.davit.dev/x',
    'app.kubernetes.io/managed-by',
    'app.kubernetes.io/name',
    'app.kubernetes.io/created-by',
    'kubernetes.io/os',
    'node.kubernetes.io/x',
    'k8s.io/x',
    'job-name.batch.k8s.io/x',
  ])('with the reserved label %s is answered 400, and the key is named', async (key) => {
    const body = { profile: 'linux', jobId: '7', labels: { team: 'core', [key]: 'x' } };

    const answer = await post(makeLaunchDeps(), body);

    expect(answer).toMatchObject({
      status: 400,
      body: {
        type: 'https://davit.dev/problems/request-invalid',
        detail: `In the body: labels["${key}"]: expected no label that davit or Kubernetes reserves`,
      },
    });
  });

  test.each(['team', 'example.com/kubernetes.io', 'notkubernetes.io/x', 'app.kubernetes.io/part-of'])(
    'with the label %s is accepted',
    async (key) => {
      const answer = await post(makeLaunchDeps(), { profile: 'linux', jobId: '7', labels: { [key]: 'x' } });

      expect(answer.status).toBe(202);
    },
  );

  test('with any JSON has a documented answer, and no value of an environment is in it', async () => {
    const body = fc.record(
      {
        profile: fc.oneof(fc.constant('linux'), fc.jsonValue()),
        jobId: fc.oneof(fc.string({ unit: 'binary', maxLength: 250 }), fc.jsonValue()),
        labels: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.jsonValue()),
        env: fc.dictionary(fc.oneof(fc.string(), fc.constant('A')), fc.constant('hunter2')),
        sourceUrl: fc.oneof(fc.webUrl(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.jsonValue()), async (value) => {
        const answer = await post(makeLaunchDeps(), value);

        expect([202, 400]).toContain(answer.status);
        expect(JSON.stringify(answer)).not.toContain('hunter2');
      }),
    );
  });
});

describe('GET /launches/{launchId}', () => {
  test('shows what a person wants to know, and of the environment only the names', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7', env: { TOKEN: 'hunter2' } });
    await deps.launches.noteSignal(launchId, {
      code: 'ImagePullFailed',
      container: 'agent',
      detail: 'manifest unknown',
      sinceEpochMs: testNowEpochMs,
    });
    await deps.launches.end(launchId, {
      outcome: 'failed',
      code: 'ImagePullFailed',
      message: 'ImagePullFailed: manifest unknown',
      by: 'the state machine',
      atEpochMs: testNowEpochMs + 30_000,
    });

    const answer = await one({ ...deps, nowEpochMs: () => testNowEpochMs + 45_000 }, 'GET');

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      launchId,
      agentName: `davit-${launchId}`,
      status: 'cleaning',
      requestedAt: '2026-06-01T10:00:00.000Z',
      signal: {
        code: 'ImagePullFailed',
        container: 'agent',
        detail: 'manifest unknown',
        since: '2026-06-01T10:00:00.000Z',
        forSeconds: 45,
      },
      ending: {
        outcome: 'failed',
        code: 'ImagePullFailed',
        means: 'An image could not be pulled within the grace period.',
        advice: expect.stringContaining('imagePullSecrets'),
        at: '2026-06-01T10:00:30.000Z',
      },
      cleaning: { because: 'ImagePullFailed: manifest unknown', since: '2026-06-01T10:00:30.000Z', forSeconds: 15 },
      plan: { profile: 'linux', cluster: 'sandbox', namespace: 'agents', expose: 'nodePort', agentPort: 8811 },
      envNames: ['TOKEN'],
      forgottenAt: '2026-06-15T10:00:00.000Z',
    });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(JSON.stringify(answer)).not.toContain('EpochMs');
  });

  test('lists the others when a record cannot be read, and names that one', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    const { body } = await post(deps, { profile: 'linux', jobId: 'build/8' });
    const other = body['launchId'];
    const whole = await list(deps, { status: 'launching' });
    deps.launches.damage(launchId);

    const listed = await list(deps, { status: 'launching' });

    expect(whole.body).not.toHaveProperty('unreadable');
    expect(listed.status).toBe(200);
    expect(listed.body).toEqual({
      launches: [expect.objectContaining({ launchId: other })],
      unreadable: [{ launchId, why: 'damaged' }],
    });
  });

  test('shows when the clean-up was asked for again, until all is gone, and so does the list', async () => {
    const deps = { ...makeLaunchDeps(), nowEpochMs: () => testNowEpochMs + 300_000 };
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    await one(deps, 'DELETE');
    await deps.launches.claimCleanUp(launchId, testNowEpochMs + 420_000, testNowEpochMs + 420_000);
    const later = { ...deps, nowEpochMs: () => testNowEpochMs + 480_000 };

    const shown = await one(later, 'GET');
    const listed = await list(later, { status: 'cleaning' });
    await deps.launches.markCleaned(launchId, testNowEpochMs + 500_000);
    const over = await one(later, 'GET');

    const cleaning = {
      because: 'the launch was deleted',
      since: '2026-06-01T10:05:00.000Z',
      forSeconds: 180,
      askedAgainAt: '2026-06-01T10:07:00.000Z',
    };
    expect(shown.body).toMatchObject({ status: 'cleaning', cleaning });
    expect(listed.body).toMatchObject({ launches: [{ launchId, cleaning }] });
    expect(over.body).toMatchObject({ status: 'terminated', cleanedAt: '2026-06-01T10:08:20.000Z' });
    expect(over.body).not.toHaveProperty('cleaning');
  });

  test('shows what the cluster told of the Pod of a launch that failed', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    await deps.launches.end(launchId, {
      outcome: 'failed',
      code: 'ContainerTerminated',
      message: 'ContainerTerminated: container agent terminated with exit code 1',
      by: 'the state machine',
      atEpochMs: testNowEpochMs,
    });
    const event = { type: 'Normal', reason: 'Started', message: 'Container started', count: 1 };
    await deps.launches.noteDiagnostics(launchId, {
      atEpochMs: testNowEpochMs + 1000,
      events: [{ ...event, lastSeenAtEpochMs: testNowEpochMs - 1000 }, event],
      log: { container: 'agent', text: 'cannot open /work\n' },
      unread: [],
    });

    const answer = await one(deps, 'GET');

    expect(answer.body).toMatchObject({
      diagnostics: {
        at: '2026-06-01T10:00:01.000Z',
        events: [{ ...event, lastSeenAt: '2026-06-01T09:59:59.000Z' }, event],
        log: { container: 'agent', text: 'cannot open /work\n' },
        unread: [],
      },
    });
    expect(JSON.stringify(answer)).not.toContain('EpochMs');
  });

  test('shows the present agent, and why the launch was begun again', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });
    await relaunchTwice(deps);

    const answer = await one(deps, 'GET');

    expect(answer.body).toMatchObject({
      agentName: `davit-${launchId}-r3`,
      status: 'launching',
      requestedAt: '2026-06-01T10:00:00.000Z',
      plan: { generation: 3, maxRelaunches: 2, startedAt: '2026-06-01T10:01:30.000Z' },
    });
    expect(answer.body).toHaveProperty('generations', [
      {
        agentName: `davit-${launchId}`,
        code: 'PodEvicted',
        message: 'PodEvicted: The node was low on resource: memory.',
        means: 'The Pod was evicted: by the eviction API (a drain, an autoscaler) or by a kubelet short of a resource.',
        advice: expect.stringContaining('resource requests that its node can meet'),
        endedAt: '2026-06-01T10:00:30.000Z',
      },
      {
        agentName: `davit-${launchId}-r2`,
        code: 'NodeLost',
        message: 'NodeLost: node-1 was shut down',
        means: "The Pod's node went away: it was shut down, reclaimed, deleted or tainted, or it stopped reporting.",
        advice: expect.stringContaining('spot capacity'),
        endedAt: '2026-06-01T10:01:30.000Z',
      },
    ]);
    expect(JSON.stringify(answer)).not.toContain('EpochMs');
  });

  test('has no generations while it is in its first', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });

    const answer = await one(deps, 'GET');

    expect(answer.body).not.toHaveProperty('generations');
    expect(answer.body).toMatchObject({ plan: { generation: 1, startedAt: '2026-06-01T10:00:00.000Z' } });
  });

  test('of any id that is none is answered 404', async () => {
    const id = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.constantFrom('../launches', 'a/b', '__proto__', 'x'.repeat(200), 'github-1-2-3'),
    );
    await fc.assert(
      fc.asyncProperty(id, fc.constantFrom('GET' as const, 'DELETE' as const), async (unknown, method) => {
        const answer = await one(makeLaunchDeps(), method, unknown);

        expect(answer).toMatchObject({ status: 404, body: { type: 'https://davit.dev/problems/launch-unknown' } });
      }),
    );
  });
});

/** Launches of the jobs a, b and c, in this order, of which b is being cleaned up. */
async function makeThree() {
  const deps = makeLaunchDeps();
  for (const [index, jobId] of ['a', 'b', 'c'].entries()) {
    await post({ ...deps, nowEpochMs: () => testNowEpochMs + index }, { profile: 'linux', jobId });
  }
  await one(deps, 'DELETE', apiLaunchId('b'));
  return deps;
}

describe('GET /launches', () => {
  test('lists the launches of the given statuses, in their order, newest first', async () => {
    const answer = await list(await makeThree(), { status: 'cleaning,launching,cleaning' });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        launches: [
          { launchId: apiLaunchId('b'), status: 'cleaning' },
          { launchId: apiLaunchId('c'), status: 'launching' },
          { launchId: apiLaunchId('a'), status: 'launching' },
        ],
      },
    });
    expect(answer.body).not.toHaveProperty('cursor');
  });

  test('lists page after page, each launch once', async () => {
    const deps = await makeThree();

    const first = await list(deps, { limit: '2' });
    const second = await list(deps, { limit: '2', cursor: String(first.body['cursor']) });

    expect(first.body['launches']).toHaveLength(2);
    expect(second.body).toMatchObject({ launches: [{ launchId: apiLaunchId('b') }] });
    expect(second.body).not.toHaveProperty('cursor');
  });

  test.each([
    { status: 'lost' },
    { status: '' },
    { status: 'launching,' },
    { limit: '0' },
    { limit: '101' },
    { limit: '1e1' },
    { limit: '-1' },
    { limit: '١' },
    { cursor: 'malformed' },
    { cursor: '' },
    { colour: 'red' },
  ])('the query %p is answered 400', async (query) => {
    const answer = await list(await makeThree(), query);

    expect(answer).toMatchObject({ status: 400, body: { type: 'https://davit.dev/problems/request-invalid' } });
  });
});

describe('DELETE /launches/{launchId}', () => {
  test('ends the launch; said again, the same, until everything is gone', async () => {
    const deps = makeLaunchDeps();
    await post(deps, { profile: 'linux', jobId: 'build/7' });

    const first = await one(deps, 'DELETE');
    const second = await one({ ...deps, nowEpochMs: () => testNowEpochMs + 1000 }, 'DELETE');
    await deps.launches.markCleaned(launchId, testNowEpochMs + 2000);
    const third = await one({ ...deps, nowEpochMs: () => testNowEpochMs + 3000 }, 'DELETE');

    const ending = { outcome: 'terminated', by: 'DELETE /launches', at: '2026-06-01T10:00:00.000Z' };
    expect(first).toMatchObject({ status: 202, body: { status: 'cleaning', ending } });
    expect(first.body).not.toHaveProperty('duplicate');
    expect(second).toMatchObject({ status: 202, body: { status: 'cleaning', ending, duplicate: true } });
    expect(third).toMatchObject({ status: 200, body: { status: 'terminated', ending, duplicate: true } });
    expect(deps.cleanUps.requested).toEqual([launchId, launchId]);
  });
});

test('a method that has no route is answered 404', async () => {
  const answer = await ask(makeLaunchDeps(), { method: 'PATCH', path: '/launches' });

  expect(answer).toMatchObject({ status: 404, body: { type: 'https://davit.dev/problems/route-unknown' } });
});

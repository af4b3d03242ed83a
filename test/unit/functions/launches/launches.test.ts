import * as fc from 'fast-check';
import { TransientError } from '../../../../core/errors/errors.ts';
import { apiLaunchId } from '../../../../core/launch/names.ts';
import { answerLaunches } from '../../../../functions/launches/launches.ts';
import { requestOf } from '../../../../runtime/http/request.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';
import { type EventOptions, httpEvent } from '../../../support/http-event.ts';
import { makeLaunchDeps, type TestLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { RecordingLogger, send } from '../../../support/send-http.ts';

const launchId = apiLaunchId('build/7');
const wellFormed = 'expected well-formed Unicode';
let deps: TestLaunchDeps;

beforeEach(() => {
  deps = makeLaunchDeps();
});

/** The same davit, later. */
const after = (ms: number): TestLaunchDeps => ({ ...deps, nowEpochMs: () => testNowEpochMs + ms });

async function ask(by: TestLaunchDeps, options: EventOptions) {
  return send((request) => answerLaunches(by, request), options);
}

async function post(by: TestLaunchDeps, body: unknown) {
  return ask(by, { method: 'POST', path: '/launches', body: JSON.stringify(body) });
}

const build7 = { profile: 'linux', jobId: 'build/7' };

const launch = () => post(deps, build7);

async function list(by: TestLaunchDeps, query: Record<string, string>) {
  return ask(by, { method: 'GET', path: '/launches', query });
}

async function one(by: TestLaunchDeps, method: 'GET' | 'DELETE', id: string = launchId) {
  return ask(by, { method, path: '/launches/{launchId}', parameters: { launchId: id } });
}

/** As many labels or variables with these first letters. */
function numbered(letter: string, count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${letter}${index}`, 'x']));
}

describe('POST /launches', () => {
  test('over the limit of its profile is answered 429, and a known launch is not', async () => {
    deps = makeLaunchDeps({ profiles: [makeProfile({ maxAgents: 1 })] });
    const first = await launch();
    const over = await post(deps, { ...build7, jobId: 'build/8' });
    const again = await launch();

    expect([first.status, over.status, again.status]).toEqual([202, 429, 200]);
    expect(over).toMatchObject({
      headers: { 'retry-after': '10' },
      body: { detail: 'There are 1 of 1 agents of profile linux already.' },
    });
    expect(deps.executions.started.size).toBe(1);
  });

  test('requests a launch, and keeps labels and environment in its record', async () => {
    const given = { labels: { 'example.com/team': 'core', stage: '' }, env: { BRANCH: 'main' } };

    const answer = await post(deps, { ...build7, ...given, sourceUrl: 'https://ci.example/build/7' });

    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/launches/${launchId}` },
      body: { launchId, agentName: `davit-${launchId}`, profile: 'linux', cluster: 'sandbox', status: 'launching' },
    });
    expect(await deps.launches.get(launchId)).toMatchObject(given);
    expect(JSON.stringify(deps.executions.started.get(launchId))).not.toContain('BRANCH');
  });

  test('without a job id creates one launch for each Idempotency-Key', async () => {
    const body = JSON.stringify({ profile: 'linux' });
    const postAs = (key: string) => ask(deps, { headers: { 'idempotency-key': key }, body });

    const answers = [await postAs('one'), await postAs('one'), await postAs('two')];

    expect(answers.map(({ status }) => status)).toEqual([202, 200, 202]);
    expect(answers[1]?.body['launchId']).toBe(answers[0]?.body['launchId']);
    expect(deps.executions.started.size).toBe(2);
  });

  test('for the same job with another profile is a conflict', async () => {
    deps = makeLaunchDeps({ profiles: [makeProfile(), makeProfile({ name: 'gpu' })] });
    await launch();

    const answer = await post(deps, { ...build7, profile: 'gpu' });

    expect(answer).toMatchObject({
      status: 409,
      body: {
        type: 'https://davit.dev/problems/launch-conflict',
        detail: `The job has the launch ${launchId} of profile linux, not gpu.`,
        launchId,
        profile: 'linux',
      },
    });
  });

  test('for a job that only Step Functions remembers is accepted, and left to the sweep', async () => {
    await launch();
    deps.executions.finish(launchId);
    const later = { ...makeLaunchDeps(), executions: deps.executions };

    const answer = await post(later, build7);

    expect(answer).toMatchObject({ status: 202, body: { status: 'launching' } });
    expect(later.invokeLater.events['clean-up']).toEqual([]);
  });

  test('for an unknown profile lists the known ones', async () => {
    const answer = await post(deps, { profile: 'linus', jobId: '7' });

    expect(answer).toMatchObject({
      status: 400,
      body: {
        type: 'https://davit.dev/problems/profile-unknown',
        detail: 'There is no profile linus.',
        profiles: ['linux'],
      },
    });
  });

  test.each<[what: string, body: object, detail: string]>([
    ['no job id', { jobId: undefined }, 'jobId: expected a job id, or a header Idempotency-Key'],
    ['an empty job id', { jobId: '' }, 'jobId: Too small'],
    ['a job id of 201 characters', { jobId: 'x'.repeat(201) }, 'jobId: Too big'],
    ['half a character', { jobId: '\uD800' }, `jobId: ${wellFormed}`],
    ['half a character in a variable', { env: { A: '\uDC00x' } }, `env.A: ${wellFormed}`],
    ['half a character in a link', { sourceUrl: 'https://x/\uD83D' }, `sourceUrl: ${wellFormed}`],
    ['half a character in a profile', { profile: '\uD83D' }, `profile: ${wellFormed}`],
    ['an unknown key', { image: 'x' }, 'Unrecognized key: "image"'],
    ['a label key that Kubernetes refuses', { labels: { 'a b': '' } }, 'expected a Kubernetes label key'],
    ['a label value that Kubernetes refuses', { labels: { a: '-' } }, 'labels.a: expected a Kubernetes label value'],
    ["davit's own variable", { env: { DAVIT_X: 'x' } }, 'env.DAVIT_X: expected no name that starts with DAVIT_'],
    ['a variable name that no shell accepts', { env: { 'A-B': 'x' } }, 'expected the name of'],
    ['a NUL', { env: { A: 'x\0' } }, 'env.A: expected no NUL'],
    ['too large an environment', { env: { A: 'x'.repeat(65_536) } }, 'env: expected at most 65536 bytes in all'],
    ['65 labels', { labels: numbered('l', 65) }, 'labels: expected at most 64 labels'],
    ['65 variables', { env: numbered('V', 65) }, 'env: expected at most 64 variables'],
    ['a link by xhttps', { sourceUrl: 'xhttps://ci.example/7' }, 'sourceUrl: Invalid URL'],
    ['a link by httpsx', { sourceUrl: 'httpsx://ci.example/7' }, 'sourceUrl: Invalid URL'],
    ['a link with a script', { sourceUrl: 'javascript:alert(1)' }, 'sourceUrl: Invalid URL'],
  ])('with %s is answered 400, with the reason', async (_what, body, detail) => {
    const answer = await post(deps, { ...build7, ...body });

    expect(answer).toMatchObject({
      status: 400,
      body: { type: 'https://davit.dev/problems/request-invalid', detail: expect.stringContaining(detail) },
    });
  });

  test.each([
    { what: '64 labels', body: { labels: numbered('l', 64) } },
    { what: '64 variables', body: { env: numbered('V', 64) } },
    { what: 'an environment of 65536 bytes', body: { env: { A: 'x'.repeat(65_528) } } },
    { what: 'a link by http', body: { sourceUrl: 'http://ci.example/7' } },
    ...['team', 'example.com/kubernetes.io', 'notkubernetes.io/x', 'app.kubernetes.io/part-of'].map((key) => ({
      what: `the label ${key}`,
      body: { labels: { [key]: 'x' } },
    })),
  ])('with $what is accepted', async ({ body }) => {
    expect(await post(deps, { ...build7, ...body })).toMatchObject({ status: 202 });
  });

  test.each([
    'davit.dev/x',
    'sub.davit.dev/x',
    'app.kubernetes.io/managed-by',
    'app.kubernetes.io/name',
    'app.kubernetes.io/created-by',
    'app.kubernetes.io/version-x',
    'sub.app.kubernetes.io/version',
    'kubernetes.io/os',
    'node.kubernetes.io/x',
    'k8s.io/x',
    'job-name.batch.k8s.io/x',
  ])('with the reserved label %s is answered 400, and the key is named', async (key) => {
    const answer = await post(deps, { ...build7, labels: { team: 'core', [key]: 'x' } });

    const detail = `In the body: labels["${key}"]: expected no label that davit or Kubernetes reserves`;
    expect(answer).toMatchObject({ status: 400, body: { detail } });
  });

  test('with any JSON has a documented answer, which quotes no value of an environment', async () => {
    const body = fc.record(
      {
        profile: fc.oneof(fc.constant('linux'), fc.jsonValue()),
        jobId: fc.oneof(fc.string({ unit: anyCodePoint, maxLength: 250 }), fc.jsonValue()),
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
  test('shows everything about a launch, but only the names of its environment', async () => {
    await post(deps, { ...build7, env: { TOKEN: 'hunter2' } });
    const signal = { code: 'ImagePullFailed', container: 'agent', detail: 'manifest unknown' };
    await deps.launches.noteSignal(launchId, { ...signal, sinceEpochMs: testNowEpochMs });
    await deps.launches.end(launchId, endingOf({ atEpochMs: testNowEpochMs + 30_000 }));

    const answer = await one(after(45_000), 'GET');

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      launchId,
      agentName: `davit-${launchId}`,
      status: 'cleaning',
      requestedAt: '2026-06-01T10:00:00.000Z',
      signal: { ...signal, since: '2026-06-01T10:00:00.000Z', forSeconds: 45 },
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

  test('lists the other launches when a record cannot be read, and names the unreadable one', async () => {
    await launch();
    await post(deps, { ...build7, jobId: 'build/8' });
    const whole = await list(deps, { status: 'launching' });
    deps.launches.damage(launchId);

    const listed = await list(deps, { status: 'launching' });

    expect(whole.body).not.toHaveProperty('unreadable');
    expect(listed.status).toBe(200);
    expect(listed.body).toEqual({
      launches: [expect.objectContaining({ launchId: apiLaunchId('build/8') })],
      unreadable: [{ launchId, why: 'damaged' }],
    });
  });

  test('answers 304 while nothing but the time changes, and 200 otherwise', async () => {
    let nowEpochMs = testNowEpochMs;
    deps = makeLaunchDeps({ nowEpochMs: () => nowEpochMs });
    await launch();
    await deps.launches.noteSignal(launchId, { code: 'Unschedulable', detail: 'x', sinceEpochMs: testNowEpochMs });
    const read = async (headers: Record<string, string>) => {
      return answerLaunches(deps, requestOf(httpEvent({ method: 'GET', parameters: { launchId }, headers })));
    };
    const first = await read({});

    nowEpochMs += 5000;
    const same = await read({ 'if-none-match': `"other", ${first.headers['etag']}` });
    await deps.launches.noteSignal(launchId, { code: 'ImagePullBackOff', detail: 'y', sinceEpochMs: nowEpochMs });
    const changed = await read({ 'if-none-match': `${first.headers['etag']}` });

    expect(first).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'private, no-cache' } });
    expect(same).toMatchObject({ statusCode: 304, body: '', headers: { etag: first.headers['etag'] } });
    expect(changed.statusCode).toBe(200);
  });

  test('answers 404 for any unknown id', async () => {
    const id = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.constantFrom('.', 'a/b', '__proto__', 'x'.repeat(200), 'github-1-2-3'),
    );
    await fc.assert(
      fc.asyncProperty(id, fc.constantFrom('GET' as const, 'DELETE' as const), async (unknown, method) => {
        const answer = await one(makeLaunchDeps(), method, unknown);

        const detail = 'There is no launch of this id, or it is forgotten.';
        const body = { type: 'https://davit.dev/problems/launch-unknown', detail };
        expect(answer).toMatchObject({ status: 404, body });
      }),
    );
  });

  test.each(['GET', 'DELETE'] as const)('%s asks no table for a text that cannot be an id', async (method) => {
    deps.launches.get = deps.launches.end = async () => {
      throw new TransientError('StoreUnavailable', 'DynamoDB: ValidationException');
    };

    expect(await one(deps, method, '.')).toMatchObject({ status: 404 });
  });
});

/** Launches of the jobs a, b and c, in this order. That of b is being cleaned up. */
async function makeThree() {
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

  test('lists the launches of a profile, of a repository, or since a moment', async () => {
    deps = makeLaunchDeps({ profiles: [makeProfile(), makeProfile({ name: 'gpu' })] });
    await post(deps, { profile: 'gpu', jobId: 'a', sourceUrl: 'https://github.com/acme/app/actions/runs/1' });
    await post(deps, { profile: 'linux', jobId: 'b' });
    const idsBy = async (query: Record<string, string>) => {
      const { body } = await list(deps, query);
      return JSON.stringify(body['launches']).match(/"launchId":"[^"]+"/g);
    };

    const [a, b] = ['a', 'b'].map((id) => `"launchId":"${apiLaunchId(id)}"`);
    expect(await idsBy({ profile: 'gpu' })).toEqual([a]);
    expect(await idsBy({ repository: 'acme/app' })).toEqual([a]);
    expect(await idsBy({ profile: 'linux', cluster: 'sandbox' })).toEqual([b]);
    expect(await idsBy({ cluster: 'elsewhere' })).toBeNull();
    expect(await idsBy({ since: '2026-06-01T10:00:00.001Z' })).toBeNull();
    expect(await idsBy({ until: '2026-06-01T09:59:59.999Z' })).toBeNull();
    expect(await idsBy({ since: '2026-06-01T12:00:00+02:00', until: '2026-06-01T10:00:00Z' })).toHaveLength(2);
  });

  test('lists page after page, each launch once', async () => {
    await makeThree();

    const first = await list(deps, { limit: '2' });
    const second = await list(deps, { limit: '2', cursor: String(first.body['cursor']) });

    expect(first.body['launches']).toHaveLength(2);
    expect(second.body).toMatchObject({ launches: [{ launchId: apiLaunchId('b') }] });
    expect(second.body).not.toHaveProperty('cursor');
  });

  test('answers 304 while nothing changes', async () => {
    await makeThree();
    const { headers } = await list(deps, {});
    const event = httpEvent({ method: 'GET', path: '/launches', headers: { 'if-none-match': `${headers['etag']}` } });

    expect(await answerLaunches(deps, requestOf(event))).toMatchObject({ statusCode: 304, body: '' });
  });

  test.each<[query: Record<string, string>, detail: string]>([
    [{ cursor: 'malformed' }, 'cursor: expected the cursor of an earlier page'],
    [{ since: 'yesterday' }, 'since: expected a moment such as 2026-06-01T10:00:00Z'],
    [{ status: 'lost' }, 'status[0]: Invalid option'],
    [{ status: '' }, 'status[0]: Invalid option'],
    [{ status: 'launching,' }, 'status[1]: Invalid option'],
    [{ limit: '0' }, 'limit: '],
    [{ limit: '101' }, 'limit: '],
    [{ limit: '1e1' }, 'limit: '],
    [{ limit: '-1' }, 'limit: '],
    [{ limit: '١' }, 'limit: '],
    [{ cursor: '' }, 'cursor: Too small'],
    [{ repository: 'app' }, 'repository: '],
    [{ colour: 'red' }, 'Unrecognized key: "colour"'],
  ])('the query %p is answered 400, with the reason', async (query, detail) => {
    const answer = await list(await makeThree(), query);

    expect(answer).toMatchObject({
      status: 400,
      body: {
        type: 'https://davit.dev/problems/request-invalid',
        detail: expect.stringContaining(`In the query: ${detail}`),
      },
    });
  });
});

describe('DELETE /launches/{launchId}', () => {
  test('ends the launch, and repeats its answer until everything is gone', async () => {
    await launch();

    const first = await one(deps, 'DELETE');
    const second = await one(after(1000), 'DELETE');
    await deps.launches.markCleaned(launchId, testNowEpochMs + 2000);
    const third = await one(after(3000), 'DELETE');

    const at = '2026-06-01T10:00:00.000Z';
    const ending = { outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches', at };
    expect(first).toMatchObject({ status: 202, body: { status: 'cleaning', ending } });
    expect(first.body).not.toHaveProperty('duplicate');
    expect(second).toMatchObject({ status: 202, body: { status: 'cleaning', ending, duplicate: true } });
    expect(third).toMatchObject({ status: 200, body: { status: 'terminated', ending, duplicate: true } });
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }, { launchId }]);
  });

  test('ends the hold of a Pod, and keeps why its launch failed', async () => {
    deps = makeLaunchDeps({ profiles: [makeProfile({ holdFailedSeconds: 600 })] });
    await launch();
    await deps.launches.end(launchId, endingOf({ atEpochMs: testNowEpochMs }));

    const held = await one(deps, 'GET');
    const ended = await one(deps, 'DELETE');

    expect(held.body).toMatchObject({ hold: { until: '2026-06-01T10:10:00.000Z' } });
    expect(ended).toMatchObject({
      status: 202,
      body: { status: 'cleaning', ending: { code: 'ImagePullFailed' }, duplicate: true },
    });
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
  });

  const ada = 'arn:aws:sts::123456789012:assumed-role/Platform/ada';
  test.each([
    { who: 'the caller that API Gateway has authenticated', caller: { caller: ada }, name: ada },
    { who: 'an unknown caller when the request is not authenticated', caller: {}, name: 'unknown' },
  ])('names $who', async ({ caller, name }) => {
    await launch();

    const answer = await ask(deps, { method: 'DELETE', parameters: { launchId }, ...caller });

    expect(answer).toMatchObject({ body: { ending: { actor: { kind: 'person', name } } } });
  });

  test('is logged with the launch, and whether it repeats an earlier request', async () => {
    await launch();
    const logger = new RecordingLogger();
    const event = { method: 'DELETE', parameters: { launchId } };

    for (const by of [deps, after(1000)]) await send((request) => answerLaunches(by, request), event, logger);

    expect(logger.lines).toMatchObject([
      { keys: { launchId, duplicate: false } },
      { keys: { launchId, duplicate: true } },
    ]);
  });
});

test('a method without a route is answered 404', async () => {
  const answer = await ask(deps, { method: 'PATCH', path: '/launches' });

  expect(answer).toMatchObject({
    status: 404,
    body: { type: 'https://davit.dev/problems/route-unknown', detail: 'There is no PATCH here.' },
  });
});

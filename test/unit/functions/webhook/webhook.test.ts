import { sign } from '@octokit/webhooks-methods';
import * as fc from 'fast-check';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { answerWebhook } from '../../../../functions/webhook/webhook.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqlitePollTurns } from '../../../../local/store/sqlite-ci-memory.ts';
import type { PollTurns } from '../../../../ports/poll-turns.ts';
import { joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { fixedSigning, rotatedSigning } from '../../../support/fixed-secrets.ts';
import { giteaDelivery, giteaJob } from '../../../support/gitea-events.ts';
import { delivery, deliveryOfText, exampleJob, webhookSecret } from '../../../support/github-events.ts';
import type { EventOptions } from '../../../support/http-event.ts';
import { makeLaunchDeps, type TestLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { RecordingLogger, send } from '../../../support/send-http.ts';

const queued = exampleJob('queued', 'k8s');
const completed = { ...queued, action: 'completed', workflow_job: { ...queued.workflow_job, conclusion: 'cancelled' } };
const launchId = 'github-591427149-12877621891-1';

const signed = { webhookSecret: 'webhook-secret' };
const acting = { ...signed, tokenSecret: 'token-secret' };
const gitea = { provider: 'gitea', url: 'http://gitea.example:3000' };
const ofSet = { events: 'scaleSet', scaleSet: { organization: 'acme', profile: 'linux' } };
const ciSystems = [
  { name: 'github', provider: 'github', ...signed },
  { name: 'gitea', ...gitea, ...signed },
  { name: 'forge', ...gitea, ...acting },
  { name: 'jenkins', provider: 'standard', ...signed },
  { name: 'polled', provider: 'jenkins', url: 'https://jenkins.example', user: 'davit', ...acting },
  { name: 'naming', provider: 'gitlab', group: 'acme', ...acting },
  { name: 'of-set', provider: 'github', tokenSecret: 'token-secret', ...ofSet },
].map((system) => CiSystemConfig.parse(system));

async function deliver(
  deps: TestLaunchDeps & { pollTurns?: PollTurns },
  request: EventOptions,
  secrets = fixedSigning(webhookSecret),
  logger = new RecordingLogger(),
) {
  const webhookDeps = {
    ...deps,
    pollTurns: deps.pollTurns ?? sqlitePollTurns(openStore(':memory:')),
    ciSystems,
    secretsOf: () => secrets,
  };
  return send((parsed) => answerWebhook(webhookDeps, parsed), request, logger);
}

let deps: TestLaunchDeps;
beforeEach(() => {
  deps = makeLaunchDeps();
});

/** Delivers an event of GitHub, signed. */
const deliverEvent = async (payload: unknown) => deliver(deps, await delivery(payload));
/** The queued event with other fields of its job. */
const queuedWith = (fields: object) => ({ ...queued, workflow_job: { ...queued.workflow_job, ...fields } });
/** The completed event with other fields of its job. */
const completedWith = (fields: object) => ({ ...completed, workflow_job: { ...completed.workflow_job, ...fields } });
/** The event of the job's end after it ran on the runner of this name. */
const ranBy = (runnerName: string) => completedWith({ runner_id: 3, runner_name: runnerName });

describe('a job with 90,000 labels', () => {
  const labels = Array.from({ length: 90_000 }, (_, index) => `l${index}`);
  const ignored = {
    status: 200,
    body: { ignored: true, reason: expect.stringMatching(/^the job has 90000 labels: /) },
  };

  test.each(['queued', 'in_progress', 'completed'])('is ignored with the number when it is %s', async (action) => {
    expect(await deliverEvent({ ...queuedWith({ run_attempt: 1, labels }), action })).toMatchObject(ignored);
  });

  test('is not stored by a system in which davit acts', async () => {
    deps.jobs.note = async () => Promise.reject(new Error('stored'));
    const payload = giteaJob({ action: 'queued', attempt: 1, labels });

    const answer = await deliver(deps, { ...giteaDelivery(payload), parameters: { name: 'forge' } });

    expect(answer).toMatchObject(ignored);
  });
});

describe('workflow_job queued', () => {
  test('launches an agent of the profile with its labels', async () => {
    const answer = await deliverEvent(queued);

    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/launches/${launchId}` },
      body: { launchId, agentName: `davit-${launchId}`, profile: 'linux', cluster: 'sandbox', status: 'launching' },
    });
    expect(deps.executions.started.get(launchId)?.plan).toMatchObject({
      launchId,
      sourceUrl: 'https://github.com/lineville/elastic-machines-testing/actions/runs/4747967848/jobs/8433573014',
    });
  });

  test("keeps the trace of its request in the launch's plan, when there is one", async () => {
    const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';
    const [traced, untraced] = [makeLaunchDeps(), makeLaunchDeps()];

    await deliver(Object.assign(traced, { traceHeader: () => traceHeader }), await delivery(queued));
    await deliver(untraced, await delivery(queued));

    expect(traced.executions.started.get(launchId)?.plan).toMatchObject({ traceHeader });
    expect(untraced.executions.started.get(launchId)?.plan).not.toHaveProperty('traceHeader');
  });

  test("starts the execution that an earlier delivery died before starting, with that delivery's plan", async () => {
    const dying = Object.assign(makeLaunchDeps(), { launches: deps.launches });
    dying.executions.start = async () => {
      throw new TransientError('StoreUnavailable', 'Step Functions StartExecution: throttled');
    };
    const first = await deliver(dying, await delivery(queued));

    const later = { ...deps, nowEpochMs: () => deps.nowEpochMs() + 60_000 };
    const second = await deliver(later, await delivery(queued));

    expect(first).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(second).toMatchObject({ status: 200, body: { duplicate: true } });
    expect(deps.executions.started.get(launchId)?.plan.requestedAtEpochMs).toBe(deps.nowEpochMs());
  });

  test.each([
    { link: 'http://github.example/1', kept: 'http://github.example/1' },
    ...[
      'javascript:alert(1)',
      'xhttps://example.com',
      'httpsx://example.com',
      'no link',
      'https://github.com/\uD83D',
      `https://example.com/${'x'.repeat(2048)}`,
    ].map((link) => ({ link, kept: undefined })),
  ])('with the link $link is accepted, and keeps $kept', async ({ link, kept }) => {
    const answer = await deliverEvent(queuedWith({ html_url: link }));

    expect(answer.status).toBe(202);
    expect(deps.executions.started.get(launchId)?.plan.sourceUrl).toBe(kept);
  });
});

test("Gitea's jobs are refused at the path of GitHub's webhooks", async () => {
  const { parameters: _named, ...request } = giteaDelivery(giteaJob({ action: 'queued', attempt: 0 }));
  const headers = { ...request.headers, 'x-hub-signature-256': 'sha256=00' };

  const answer = await deliver(deps, { ...request, headers, parameters: { name: 'github' } });

  expect(answer.status).toBe(401);
});

describe('workflow_job completed', () => {
  test('with a conclusion that is not Unicode is answered 400, which names the field', async () => {
    const answer = await deliverEvent(completedWith({ conclusion: '\uD83D' }));

    expect(answer).toMatchObject({
      status: 400,
      body: { detail: 'In the body: workflow_job.conclusion: expected well-formed Unicode' },
    });
  });

  test('marks its launch, stops it and cleans it up', async () => {
    await deliverEvent(queued);

    const answer = await deliverEvent(completed);

    expect(answer).toMatchObject({ status: 202, body: { launchId, status: 'cleaning' } });
    expect(await deps.launches.get(launchId)).toMatchObject({
      status: 'cleaning',
      ending: {
        outcome: 'terminated',
        code: 'Terminated',
        message: 'the job completed: cancelled',
        by: 'github workflow_job completed (cancelled)',
      },
    });
    expect(deps.executions.stopped).toEqual([{ launchId, cause: 'the job completed: cancelled' }]);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
  });

  test("of a stranger's job, whose runner has another launch's agent's name, ends no launch", async () => {
    await deliverEvent(queued);
    await deps.launches.markConnected({ launchId, agentName: `davit-${launchId}` }, testNowEpochMs);
    const apiLaunch = recordOf('api-build');
    await deps.launches.request(apiLaunch);
    for (const runnerName of [`davit-${launchId}`, 'davit-api-build']) {
      const strangers = completedWith({ id: 999, runner_id: 3, runner_name: runnerName, conclusion: null });

      const answer = await deliverEvent({ ...strangers, repository: { ...completed.repository, id: 666 } });

      expect(answer.status).toBe(200);
    }

    expect(await deps.launches.get(launchId)).toMatchObject({ status: 'connected' });
    expect(await deps.launches.get('api-build')).toEqual(apiLaunch);
    expect(deps.executions.stopped).toEqual([]);
  });

  const own = `davit-${launchId}`;
  const isQueued = () => deliverEvent(queued);
  const isConnected = async () => {
    await deliverEvent(queued);
    await deps.launches.markConnected({ launchId, agentName: own }, testNowEpochMs);
  };
  const isJoined = () => deps.launches.request({ ...recordOf(launchId), plan: joinedPlanOf(launchId) });
  const ended = { status: 202, body: { launchId, status: 'cleaning' } };
  const kept = { status: 200, body: { reason: expect.stringContaining('may run another job') } };

  test.each<[what: string, prepare: () => Promise<unknown>, event: object, answer: object, status: string]>([
    ['ends its launch, connected or not, if it ran on its agent', isConnected, ranBy(own), ended, 'cleaning'],
    ['ends no launch by a name if davit registers its agent', isJoined, ranBy(own), kept, 'launching'],
    ['ends no launch if it ran on any other runner', isQueued, ranBy('somebody'), kept, 'launching'],
    ["ends no launch if it ran on another launch's agent", isQueued, ranBy('davit-github-1-2-1'), kept, 'launching'],
    ['that was cancelled in the queue leaves a connected agent alone', isConnected, completed, kept, 'connected'],
  ])('%s', async (_what, prepare, event, answer, status) => {
    await prepare();

    expect(await deliverEvent(event)).toMatchObject(answer);
    expect(await deps.launches.get(launchId)).toMatchObject({ status });
  });

  test('before queued leaves a tombstone, and no agent is launched', async () => {
    const first = await deliverEvent(completed);
    const second = await deliverEvent(queued);

    expect(first).toMatchObject({ status: 200, body: { launchId, status: 'terminated' } });
    expect(first.body).not.toHaveProperty('duplicate');
    expect(second).toMatchObject({
      status: 200,
      body: { duplicate: true, status: 'terminated', reason: 'the job was completed before it was queued' },
    });
    expect(deps.executions.started.size).toBe(0);
  });

  test('ends its launch even when no profile takes its labels any more', async () => {
    await deliverEvent(queued);
    deps.profiles = [makeProfile({ labels: ['other'] })];

    expect(await deliverEvent(completed)).toMatchObject({ status: 202, body: { status: 'cleaning' } });
  });

  test('is answered and logged with its subject, and as a duplicate when it is repeated', async () => {
    const logger = new RecordingLogger();
    const secrets = fixedSigning(webhookSecret);
    await deliverEvent(queued);

    const first = await deliver(deps, await delivery(completed), secrets, logger);
    const later = { ...deps, nowEpochMs: () => testNowEpochMs + 1 };
    const second = await deliver(later, await delivery(completed), secrets, logger);

    expect([first.body, second.body]).toEqual([
      { launchId, status: 'cleaning' },
      { launchId, status: 'cleaning', duplicate: true },
    ]);
    expect(logger.lines.map(({ keys }) => keys)).toMatchObject([
      { launchId, duplicate: false },
      { launchId, duplicate: true },
    ]);
  });

  test('for a foreign job leaves nothing', async () => {
    const answer = await deliverEvent(exampleJob('completed', 'ubuntu-latest'));

    expect(answer).toMatchObject({ status: 200, body: { ignored: true } });
    expect(await deps.launches.list({ statuses: ['terminated'], limit: 1 })).toEqual({
      launches: [],
      unreadable: [],
    });
  });
});

test('the events of each CI system are read and answered as its provider and its credential say', async () => {
  const running = giteaDelivery(giteaJob({ action: 'in_progress', attempt: 1, runner: { id: 9, name: 'somebody' } }));

  const answers = await Promise.all(
    ['gitea', 'forge', 'jenkins'].map((name) => deliver(deps, { ...running, parameters: { name } })),
  );

  expect(answers).toMatchObject([
    { status: 200, body: { reason: 'davit does nothing for workflow_job in_progress' } },
    { status: 200, body: { reason: 'the job runs on no agent of this davit' } },
    { status: 401, body: { detail: expect.stringMatching(/^webhook-id, /) } },
  ]);
});

describe('other events', () => {
  test.each<[what: string, payload: unknown, event?: string]>([
    ['workflow_job waiting', exampleJob('waiting', 'k8s')],
    ['workflow_job in_progress', exampleJob('in_progress', 'ubuntu-latest')],
    [`workflow_job ${'x'.repeat(40)}`, { action: 'x'.repeat(41) }],
    ['ping events', { zen: 'Design for failure.' }, 'ping'],
    ['push events', [], 'push'],
  ])('davit does nothing for %s', async (what, payload, event = 'workflow_job') => {
    const answer = await deliver(deps, await delivery(payload, { 'x-github-event': event }));

    expect(answer).toMatchObject({ status: 200, body: { ignored: true, reason: `davit does nothing for ${what}` } });
  });
});

const rightSignature = await sign(webhookSecret, 'not json');

describe('a request that is not a signed event', () => {
  test.each([
    '',
    'sha256=',
    'sha256=00',
    `sha1=${'0'.repeat(64)}`,
    `sha256=${'0'.repeat(64)}`,
    `sha256=${'é'.repeat(64)}`,
    `${rightSignature},${rightSignature}`,
  ])('with the signature "%s" is answered 401, before its body is read', async (signature) => {
    const request = await deliveryOfText('not json', { 'x-hub-signature-256': signature });

    expect(await deliver(deps, request)).toMatchObject({
      status: 401,
      body: {
        type: 'https://davit.dev/problems/signature-refused',
        detail: 'X-Hub-Signature-256 is missing, or is not the HMAC-SHA256 of the body by the secret of davit.yaml.',
      },
    });
  });

  test('with a body that differs from the signed one in any byte is answered 401', async () => {
    const request = await delivery(queued);
    const text = String(request.body);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), async (at) => {
        const changed = `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;

        expect(await deliver(deps, { ...request, body: changed })).toMatchObject({ status: 401 });
      }),
    );
  });

  const unknown = { type: 'ci-system-unknown', detail: 'davit.yaml has no CI system of this name.' };
  const withoutSecret = 'davit asks of-set for its jobs: davit.yaml names no webhookSecret for it.';
  test.each([
    ...['gitlab', 'GitHub', '', '__proto__', 'git/hub', 'é'.repeat(200)].map((name) => ({ name, ...unknown })),
    { name: 'of-set', type: 'webhooks-not-taken', detail: withoutSecret },
  ])('that is signed, for the CI system "$name", is answered 404 $type', async ({ name, type, detail }) => {
    const answer = await deliver(deps, { ...(await delivery(queued)), parameters: { name } });

    expect(answer).toMatchObject({
      status: 404,
      body: { type: `https://davit.dev/problems/${type}`, detail },
    });
  });

  test.each([undefined, '', 'workflow_job,workflow_job', 'Workflow Job'])(
    'with the event header %p is answered 400',
    async (event) => {
      const { headers: { 'x-github-event': _event, ...others } = {}, ...request } = await delivery(queued);
      const headers = event === undefined ? others : { ...others, 'x-github-event': event };

      expect(await deliver(deps, { ...request, headers })).toMatchObject({
        status: 400,
        body: {
          type: 'https://davit.dev/problems/request-invalid',
          detail: 'In the headers: X-GitHub-Event: expected the name of one event',
        },
      });
    },
  );

  test.each([
    ['a form, as GitHub sends by default', 'payload=%7B%7D', 'The body is not JSON.'],
    ['a list', '[]', 'In the body: Invalid input: expected object, received array'],
    ['a numeric action', '{"action":1}', 'In the body: action: Invalid input: expected string, received number'],
    [
      'a job event without a job',
      '{"action":"queued"}',
      'In the body: repository: Invalid input: expected object, received undefined (and 1 more)',
    ],
  ])('with %s is answered 400, with the reason', async (_what, text, detail) => {
    expect(await deliver(deps, await deliveryOfText(text))).toMatchObject({ status: 400, body: { detail } });
  });

  test('with an id that JSON cannot carry exactly is refused rather than rounded', async () => {
    const text = JSON.stringify(queued).replace('12877621891', '9007199254740993');

    const answer = await deliver(deps, await deliveryOfText(text));

    expect(answer.status).toBe(400);
  });

  test('with any JSON, signed or not, has a documented answer', async () => {
    const job = fc.record(
      { id: fc.anything(), run_attempt: fc.anything(), labels: fc.anything(), html_url: fc.anything() },
      { requiredKeys: [] },
    );
    const payload = fc.oneof(
      fc.jsonValue(),
      fc.record({
        action: fc.constantFrom('queued', 'completed'),
        repository: fc.record({ id: fc.oneof(fc.nat(), fc.jsonValue()) }),
        workflow_job: fc.oneof(job, fc.constant(queued.workflow_job)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(payload, fc.boolean(), async (value, isSigned) => {
        const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));
        const request = await deliveryOfText(text, isSigned ? {} : { 'x-hub-signature-256': 'sha256=0' });

        const answer = await deliver(deps, request);

        expect(isSigned ? [200, 202, 400] : [401]).toContain(answer.status);
      }),
    );
  });
});

describe('deliveries at the same time, in any order', () => {
  test('make one agent, and none once the job has completed', async () => {
    const [queuedRequest, completedRequest] = [await delivery(queued), await delivery(completed)];
    const requests = fc.array(fc.constantFrom(queuedRequest, completedRequest), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(requests, fc.scheduler(), async (deliveries, scheduler) => {
        deps = makeLaunchDeps();
        const { launches, executions, invokeLater } = deps;
        launches.request = scheduler.scheduleFunction(launches.request.bind(launches));
        launches.end = scheduler.scheduleFunction(launches.end.bind(launches));
        executions.start = scheduler.scheduleFunction(executions.start.bind(executions));
        executions.stop = scheduler.scheduleFunction(executions.stop.bind(executions));
        deps.invokeLater = Object.assign(scheduler.scheduleFunction(invokeLater), { ...invokeLater });

        const answers = await scheduler.waitFor(Promise.all(deliveries.map((request) => deliver(deps, request))));

        const record = await launches.get(launchId);
        const isCompleted = deliveries.includes(completedRequest);
        expect(answers.every(({ status }) => status === 200 || status === 202)).toBe(true);
        expect(executions.started.size).toBeLessThanOrEqual(1);
        expect(record?.status === 'launching').toBe(!isCompleted);
        // Every started launch is cleaned up, and its clean-up comes after the mark.
        expect(invokeLater.events['clean-up'].length > 0).toBe(isCompleted && record?.plan !== undefined);
      }),
    );
  });
});

describe('a rotated webhook secret', () => {
  const old = { id: 'old', text: webhookSecret };
  const current = { id: 'current', text: 'the next secret' };

  test('is read again for an unknown signature, and then accepts it', async () => {
    const secrets = rotatedSigning([current], [old, current]);

    expect(await deliver(deps, await delivery(queued), secrets)).toMatchObject({ status: 202 });
    expect(secrets.refreshes).toBe(1);
  });

  test('is not read for an unsigned request', async () => {
    const secrets = rotatedSigning([current], [old]);
    const { headers, ...request } = await delivery(queued);
    const { 'x-hub-signature-256': _signature, ...unsigned } = headers ?? {};

    expect(await deliver(deps, { ...request, headers: unsigned }, secrets)).toMatchObject({ status: 401 });
    expect(secrets.refreshes).toBe(0);
  });
});

test('an event that only names a job asks for that job, in the function that has the credential', async () => {
  const body = JSON.stringify({ object_kind: 'build', build_id: 345, build_status: 'pending', project_id: 12 });
  const headers = { 'x-gitlab-event': 'Job Hook', 'x-gitlab-token': webhookSecret };

  const answer = await deliver(deps, { path: '/webhooks/naming', parameters: { name: 'naming' }, headers, body });

  expect(answer).toMatchObject({ status: 202, body: { polls: 'naming' } });
  const job = { repositoryId: 12, jobId: 345 };
  expect(deps.invokeLater.events['poll-ci']).toEqual([{ ciSystem: 'naming', job }]);
});

describe('a request to poll a system', () => {
  const polled = () => deps.invokeLater.events['poll-ci'].map(({ ciSystem }) => ciSystem);
  const poll = async (secret: string, pollTurns?: PollTurns) => {
    const body = 'anything';
    const headers = { 'x-hub-signature-256': await sign(secret, body) };
    const request = { path: '/webhooks/polled', parameters: { name: 'polled' }, headers, body };
    return deliver({ ...deps, ...(pollTurns && { pollTurns }) }, request);
  };

  test('is accepted with its signature, whatever its body says', async () => {
    expect(await poll(webhookSecret)).toMatchObject({ status: 202, body: { polls: 'polled' } });
    expect(polled()).toEqual(['polled']);
  });

  test('is refused without it, and nothing is polled', async () => {
    expect(await poll('another secret')).toMatchObject({ status: 401 });
    expect(polled()).toEqual([]);
  });

  test('becomes two polls however many there are at once: one now, and one that sees what all of them told', async () => {
    const turns = sqlitePollTurns(openStore(':memory:'));

    const answers = await Promise.all(Array.from({ length: 30 }, () => poll(webhookSecret, turns)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(polled()).toEqual(['polled', 'polled']);
  });
});

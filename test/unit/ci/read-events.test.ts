import { createHmac } from 'node:crypto';
import { readGiteaEvent } from '../../../ci/gitea/read-gitea-event.ts';
import { readGithubEvent } from '../../../ci/github/read-github-event.ts';
import { readStandardEvent } from '../../../ci/standard-webhooks/read-standard-event.ts';
import type { ReadJob } from '../../../core/job/job-record.ts';
import { ciLaunchId } from '../../../core/launch/names.ts';
import { present } from '../../../core/present.ts';
import { type HttpRequest, requestOf } from '../../../runtime/http/request.ts';
import { fixedSigning, rotatedSigning } from '../../support/fixed-secrets.ts';
import { type GiteaJobChanges, giteaDelivery, giteaJob } from '../../support/gitea-events.ts';
import { delivery, exampleJob, webhookSecret } from '../../support/github-events.ts';
import { type EventOptions, httpEvent } from '../../support/http-event.ts';

const secrets = fixedSigning(webhookSecret);

function received(options: EventOptions): HttpRequest {
  return requestOf(httpEvent(options));
}

function timesOf({ queuedAtEpochMs, startedAtEpochMs, completedAtEpochMs }: ReadJob): object {
  return present({ queuedAtEpochMs, startedAtEpochMs, completedAtEpochMs });
}

describe("GitHub's event", () => {
  test('for a queued job is read in full', async () => {
    const read = await readGithubEvent(secrets, received(await delivery(exampleJob('queued', 'k8s'))));

    expect(read).toEqual({
      job: {
        status: 'queued',
        repositoryId: 591427149,
        repository: { owner: 'lineville', name: 'elastic-machines-testing' },
        jobId: 12877621891,
        attempt: 1,
        runId: 4747967848,
        name: expect.any(String),
        labels: expect.arrayContaining(['k8s']),
        sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        url: 'https://github.com/lineville/elastic-machines-testing/actions/runs/4747967848/jobs/8433573014',
        workflow: expect.any(String),
        queuedAtEpochMs: expect.any(Number),
      },
    });
  });

  const example = exampleJob('queued', 'k8s');
  const read = async (payload: object) =>
    readGithubEvent(secrets, received(await delivery({ ...example, ...payload })));
  /** Reads the event of a job that differs from the example. */
  const readWith = (job: object, payload: object = {}) =>
    read({ workflow_job: { ...example.workflow_job, ...job }, ...payload });

  test.each([
    ['its runner', 'in_progress', { runner_id: 42, runner_name: 'davit-1' }, { runner: { id: 42, name: 'davit-1' } }],
    ['a runner without a name', 'in_progress', { runner_id: 42, runner_name: null }, { runner: { id: 42, name: '' } }],
    ['no name', 'queued', { name: undefined }, { name: '' }],
    ['its end', 'queued', { completed_at: '2026-06-01T10:00:00Z' }, { completedAtEpochMs: 1_780_308_000_000 }],
    ['no attempt, as a server may send it,', 'queued', { run_attempt: undefined }, { attempt: 1 }],
  ])('of a job with %s has it: %s', async (_what, action, sent, expected) => {
    expect(await readWith(sent, { action })).toMatchObject({ job: { status: action, ...expected } });
  });

  test.each([
    ['queued', { runner_id: 0, runner_name: '' }, 'runner'],
    ['queued', { runner_id: null, runner_name: null }, 'runner'],
    ['waiting', {}, 'runner'],
    ['queued', { created_at: null }, 'queuedAtEpochMs'],
    ['queued', { created_at: 'yesterday' }, 'queuedAtEpochMs'],
    ['queued', { created_at: '1970-01-01T00:00:00Z' }, 'queuedAtEpochMs'],
    ['queued', { workflow_name: null }, 'workflow'],
  ])('of a %s job with %j says no %s', async (action, sent, field) => {
    const seen = await readWith(sent, { action });

    expect(seen).toMatchObject({ job: { status: action } });
    expect(seen).not.toHaveProperty(`job.${field}`);
  });

  test.each([
    ['name', { name: '' }],
    ['owner.login', { owner: { login: '' } }],
  ])('for a repository with an empty %s is refused: no record could be read again', async (path, changes) => {
    await expect(read({ repository: { ...example.repository, ...changes } })).rejects.toMatchObject({
      slug: 'request-invalid',
      details: { extra: { errors: [{ path: `repository.${path}` }] } },
    });
  });

  test.each([
    ['acme', 'acme'],
    ['', undefined],
  ])('of the organization %j names %j', async (login, organization) => {
    const seen = await read({ organization: { login } });

    expect(seen).toMatchObject({ job: { status: 'queued' } });
    expect('job' in seen && seen.job.organization).toBe(organization);
  });

  // For a queued job, GitHub sends its creation as the start.
  test.each([
    { action: 'waiting', attempt: 1, times: { queuedAtEpochMs: 1000 } },
    { action: 'queued', attempt: 2, times: { queuedAtEpochMs: 1000 } },
    { action: 'in_progress', attempt: 1, times: { queuedAtEpochMs: 1000, startedAtEpochMs: 5000 } },
    { action: 'completed', attempt: 2, times: { queuedAtEpochMs: 1000, startedAtEpochMs: 5000 } },
  ])('for a job that is $action in attempt $attempt says $times', async ({ action, attempt, times }) => {
    const moments = { created_at: '1970-01-01T00:00:01Z', started_at: '1970-01-01T00:00:05Z', completed_at: null };

    const seen = await readWith({ ...moments, run_attempt: attempt }, { action });

    expect('job' in seen && timesOf(seen.job)).toEqual(times);
  });
});

describe("Gitea's event", () => {
  const runner = { id: 9, name: 'davit-gitea-5-7-1' };
  const queued = giteaJob({ action: 'queued', attempt: 0 });
  const readOf = (payload: object, headers?: Record<string, string | undefined>) =>
    readGiteaEvent(secrets, received(giteaDelivery(payload, headers)));

  test('for a queued job is read in full', async () => {
    const read = await readOf(queued);

    expect(read).toEqual({
      job: {
        status: 'queued',
        repositoryId: 5,
        repository: { owner: 'acme', name: 'app' },
        organization: 'acme',
        jobId: 7,
        attempt: 1,
        runId: 3,
        name: 'build',
        labels: ['linux'],
        sha: '4ab3a1a0d5f8d1a5b1c2d3e4f5061728394a5b6c',
        url: 'http://gitea.example:3000/acme/app/actions/runs/3/jobs/7',
        queuedAtEpochMs: 1_780_307_998_000,
      },
    });
  });

  // Payloads of a Gitea 1.26 for a job that runs twice, and for jobs that are cancelled in the queue.
  test.each<{ event: GiteaJobChanges; attempt: number }>([
    { event: { action: 'waiting', attempt: 0 }, attempt: 1 },
    { event: { action: 'queued', attempt: 0 }, attempt: 1 },
    { event: { action: 'in_progress', attempt: 1, runner }, attempt: 1 },
    { event: { action: 'completed', attempt: 1, runner, conclusion: 'success' }, attempt: 1 },
    { event: { action: 'completed', attempt: 0, conclusion: 'cancelled' }, attempt: 1 },
    { event: { action: 'queued', attempt: 1 }, attempt: 2 },
    { event: { action: 'in_progress', attempt: 2, runner }, attempt: 2 },
    { event: { action: 'completed', attempt: 2, runner, conclusion: 'failure' }, attempt: 2 },
    { event: { action: 'completed', attempt: 1, conclusion: 'cancelled' }, attempt: 2 },
  ])('$event is of attempt $attempt', async ({ event, attempt }) => {
    const read = await readOf(giteaJob(event));

    expect(read).toMatchObject({ job: { status: event.action, attempt } });
    expect('job' in read && read.job.runner).toEqual(event.runner);
    expect('job' in read && read.job.conclusion).toBe(event.conclusion);
  });

  // Gitea sends when the job was created, and a further attempt was queued later.
  test.each<{ event: GiteaJobChanges; times: object }>([
    { event: { action: 'queued', attempt: 0 }, times: { queuedAtEpochMs: 1_780_307_998_000 } },
    { event: { action: 'queued', attempt: 1 }, times: {} },
  ])('$event was queued at $times', async ({ event, times }) => {
    const read = await readOf(giteaJob(event));

    expect('job' in read && timesOf(read.job)).toEqual(times);
  });

  test('for a job without labels has none', async () => {
    const read = await readOf(giteaJob({ action: 'queued', attempt: 0, labels: null }));

    expect(read).toMatchObject({ job: { labels: [] } });
  });

  test("may come under GitHub's header names alone", async () => {
    const headers = { 'x-gitea-event': undefined, 'x-gitea-signature': undefined };

    expect(await readOf(queued, headers)).toMatchObject({ job: { status: 'queued' } });
  });

  test.each([
    { headers: { 'x-gitea-signature': '00' } },
    { headers: { 'x-gitea-signature': '' } },
    { headers: { 'x-gitea-signature': undefined, 'x-hub-signature-256': undefined } },
    { headers: { 'x-gitea-signature': undefined, 'x-hub-signature-256': 'sha256=00' } },
  ])('is refused with $headers', async ({ headers }) => {
    await expect(readOf(queued, headers)).rejects.toMatchObject({
      slug: 'signature-refused',
      details: {
        detail: 'X-Gitea-Signature is missing, or is not the HMAC-SHA256 of the body by the secret of davit.yaml.',
      },
    });
  });

  test('without the name of one event is refused with the name of its header', async () => {
    await expect(readOf(queued, { 'x-gitea-event': 'Workflow Job' })).rejects.toMatchObject({
      slug: 'request-invalid',
      details: { detail: 'In the headers: X-Gitea-Event: expected the name of one event' },
    });
  });

  test.each([
    [{ 'x-gitea-event': 'push' }, 'davit does nothing for push events'],
    [{}, 'davit does nothing for workflow_job cancelling'],
  ])('of another kind needs nothing: %j', async (headers, ignored) => {
    expect(await readOf({ ...queued, action: 'cancelling' }, headers)).toEqual({ ignored });
  });
});

describe('a Standard Webhook', () => {
  const key = Buffer.from('a key of 24 or more bytes, as the standard wants');
  const secret = `whsec_${key.toString('base64')}`;
  const keys = fixedSigning(secret);
  const data = { id: 'folder/job 12', attempt: 2, labels: ['linux'] };

  /** Signs as the standard says, independently of davit's code. */
  function signed(body: string, { by = key, ageSeconds = 0, signatures = (one: string) => one } = {}): HttpRequest {
    const timestamp = `${Math.floor(Date.now() / 1000) - ageSeconds}`;
    const signature = `v1,${createHmac('sha256', by).update(`msg_1.${timestamp}.${body}`).digest('base64')}`;
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures(signature),
    };
    return received({ path: '/webhooks/jenkins', parameters: { name: 'jenkins' }, headers, body });
  }

  const bodyOf = (type: string, more: object = {}) => JSON.stringify({ type, data: { ...data, ...more } });

  test('is read in full', async () => {
    const more = {
      repository: 'acme/app',
      name: 'build',
      runner: { id: 3, name: 'agent-3' },
      url: 'https://jenkins.example/job/12',
      conclusion: 'success',
    };

    const read = await readStandardEvent(keys, signed(bodyOf('job.completed', more)));

    expect(read).toEqual({
      job: {
        status: 'completed',
        repositoryId: 'acme/app',
        repository: { owner: 'acme', name: 'app' },
        jobId: 'folder/job 12',
        attempt: 2,
        name: 'build',
        labels: ['linux'],
        runner: { id: 3, name: 'agent-3' },
        url: 'https://jenkins.example/job/12',
        conclusion: 'success',
      },
    });
  });

  test.each([
    ['job.queued', 'queued'],
    ['job.started', 'in_progress'],
    ['job.completed', 'completed'],
  ])('of the type %s is for a job that is %s, always of the same launch', async (type, status) => {
    const read = await readStandardEvent(keys, signed(bodyOf(type)));

    expect(read).toMatchObject({ job: { status, repositoryId: '-', repository: { owner: '-', name: '-' } } });
    expect('job' in read && ciLaunchId({ ...read.job, ciSystem: 'jenkins' })).toMatch(
      /^jenkins-folder-job-12-[0-9a-f]{16}-2$/,
    );
  });

  test('with only what it must have is read as the first attempt of a job without a name', async () => {
    const read = await readStandardEvent(keys, signed('{"type":"job.queued","data":{"id":"12","labels":[]}}'));

    expect(read).toStrictEqual({
      job: {
        status: 'queued',
        repositoryId: '-',
        repository: { owner: '-', name: '-' },
        jobId: '12',
        attempt: 1,
        name: 'job',
        labels: [],
      },
    });
  });

  test.each([
    { repository: 'acme', owner: '-', name: 'acme' },
    { repository: '/acme/app', owner: '-', name: '/acme/app' },
    { repository: 'acme/', owner: '-', name: 'acme/' },
    { repository: 'acme/team/app', owner: 'acme', name: 'team/app' },
    { repository: 'acme/a\nb', owner: 'acme', name: 'a\nb' },
  ])('of the repository $repository is of the owner $owner', async ({ repository, owner, name }) => {
    const read = await readStandardEvent(keys, signed(bodyOf('job.queued', { repository })));

    expect(read).toMatchObject({ job: { repositoryId: repository, repository: { owner, name } } });
  });

  test('with a link without TLS keeps it', async () => {
    const url = 'http://jenkins.example/job/12';

    expect(await readStandardEvent(keys, signed(bodyOf('job.queued', { url })))).toMatchObject({ job: { url } });
  });

  test('with a number as its id equals one with that text as its id', async () => {
    const [number, text] = await Promise.all(
      [12, '12'].map((id) => readStandardEvent(keys, signed(bodyOf('job.queued', { id })))),
    );

    expect(number).toEqual(text);
  });

  test('of another type needs nothing', async () => {
    expect(await readStandardEvent(keys, signed('{"type":"ping"}'))).toEqual({
      ignored: 'davit does nothing for ping events',
    });
    expect(await readStandardEvent(keys, signed(bodyOf('x'.repeat(41))))).toEqual({
      ignored: `davit does nothing for ${'x'.repeat(40)} events`,
    });
  });

  test('is accepted with the previous secret, and with one of several signatures', async () => {
    const rotated = rotatedSigning(
      [
        { id: '2', text: `whsec_${Buffer.alloc(24, 'x').toString('base64')}` },
        { id: '1', text: secret },
      ],
      [],
    );
    const several = (one: string) => `v1a,x v1,${'A'.repeat(43)}= ${one}`;

    expect(await readStandardEvent(rotated, signed(bodyOf('job.queued')))).toMatchObject({ job: { status: 'queued' } });
    expect(await readStandardEvent(keys, signed(bodyOf('job.queued'), { signatures: several }))).toMatchObject({
      job: { status: 'queued' },
    });
  });

  test.each([
    { what: 'by another key', options: { by: Buffer.from('another') } },
    { what: 'ten minutes ago', options: { ageSeconds: 600 } },
    { what: 'ten minutes in the future', options: { ageSeconds: -600 } },
    { what: 'without a signature', options: { signatures: () => '' } },
    { what: 'in another version', options: { signatures: (one: string) => one.replace('v1', 'v2') } },
    { what: 'with half a signature', options: { signatures: (one: string) => one.slice(0, -4) } },
  ])('that is signed $what is refused before its body is read', async ({ options }) => {
    await expect(readStandardEvent(keys, signed('not json', options))).rejects.toMatchObject({
      slug: 'signature-refused',
      details: {
        detail:
          'webhook-id, webhook-timestamp or webhook-signature is missing, or they are more than 5 minutes off, or not made with the secret of davit.yaml.',
      },
    });
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'without %s is refused, and no newer secret is looked for',
    async (name) => {
      const current = rotatedSigning([{ id: '1', text: secret }], []);
      const { headers, body } = signed(bodyOf('job.queued'));

      await expect(readStandardEvent(current, { body, headers: { ...headers, [name]: '' } })).rejects.toMatchObject({
        slug: 'signature-refused',
      });
      expect(current.refreshes).toBe(0);
    },
  );

  test('whose signed body is not JSON is answered so', async () => {
    await expect(readStandardEvent(keys, signed('not json'))).rejects.toMatchObject({ slug: 'body-malformed' });
  });

  const links = ['javascript:alert(1)', 'xhttps://ci.example', 'httpsx://ci.example'];
  test.each<[body: string, detail: unknown]>([
    ['[]', 'In the body: Invalid input: expected object, received array'],
    ['{"type":1}', 'In the body: type: Invalid input: expected string, received number'],
    ['{"type":"job.queued"}', 'In the body: data: Invalid input: expected object, received undefined'],
    [
      bodyOf('job.queued', { repository: '漢'.repeat(86) }),
      'In the body: data.repository: expected at most 256 bytes of UTF-8',
    ],
    [bodyOf('job.queued', { attempt: 0 }), expect.stringMatching(/data\.attempt/)],
    [bodyOf('job.queued', { attempt: 10_000 }), expect.stringMatching(/data\.attempt/)],
    [bodyOf('job.queued', { id: '' }), expect.stringMatching(/data\.id/)],
    [bodyOf('job.queued', { labels: 'linux' }), expect.stringMatching(/data\.labels/)],
    ...links.map((url): [string, unknown] => [bodyOf('job.queued', { url }), expect.stringMatching(/data\.url/)]),
  ])('with the body %s is answered with what is wrong', async (body, detail) => {
    await expect(readStandardEvent(keys, signed(body))).rejects.toMatchObject({
      slug: 'request-invalid',
      details: { detail },
    });
  });

  test('is refused when its secret is not base64', async () => {
    await expect(readStandardEvent(fixedSigning('not base64!'), signed(bodyOf('job.queued')))).rejects.toThrow();
  });
});

import { type BuildkiteOptions, createBuildkite } from '../../../../ci/buildkite/create-buildkite.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import { type FakeBuildkite, startFakeBuildkite } from '../../../support/buildkite/start-fake-buildkite.ts';
import { testInstallationId } from '../../../support/make-launch-deps.ts';

const scope = { organization: everyOwner };
const repository = { owner: 'acme', name: 'app' };
let nowEpochMs = 0;
let buildkite: FakeBuildkite;
let ci: ReturnType<typeof createBuildkite>;

beforeEach(async () => {
  nowEpochMs = Date.parse('2026-11-27T10:00:00Z');
  buildkite = await startFakeBuildkite({ nowEpochMs: () => nowEpochMs });
  ci = open();
});
afterEach(() => buildkite.stop());

function open(changes: Partial<BuildkiteOptions> = {}) {
  const { url, queue } = buildkite;
  return createBuildkite({
    name: 'buildkite',
    url,
    organization: 'acme',
    queue,
    readInstallationId: async () => testInstallationId,
    readToken: async () => buildkite.token,
    timeoutMs: 10_000,
    ...changes,
  });
}

test('a scheduled job is listed with its rules, its pipeline and its page', async () => {
  const { id } = buildkite.state.enqueue({ pipeline: 'web', step: 'test', rules: ['os=linux'] });

  expect(await ci.listJobs(scope, ['queued'])).toEqual([
    {
      jobId: id,
      attempt: 1,
      repository: { owner: 'acme', name: 'web' },
      repositoryId: expect.any(Number),
      name: 'test',
      labels: ['queue=default', 'os=linux'],
      status: 'queued',
      url: `https://buildkite.com/acme/web/builds/1#${id}`,
      runId: 1,
      queuedAtEpochMs: nowEpochMs,
    },
  ]);
});

test('a queue of more than one page is read from its beginning, as far as one look may', async () => {
  for (let count = 0; count < 3100; count += 1) buildkite.state.enqueue();

  const jobs = await ci.listJobs(scope, ['queued']);

  expect(new Set(jobs?.map(({ jobId }) => jobId)).size).toBe(3000);
});

test.each([
  { state: 'scheduled', status: 'queued', removal: 'removed' },
  { state: 'reserved', status: 'queued', removal: 'removed' },
  { state: 'accepted', status: 'in_progress', removal: 'busy' },
  { state: 'running', status: 'in_progress', removal: 'busy' },
  { state: 'canceling', status: 'in_progress', removal: 'busy' },
  { state: 'finished', status: 'completed', removal: 'gone' },
  { state: 'canceled', status: 'completed', removal: 'gone' },
] as const)(
  'a job that is $state is $status for davit, and its runner is $removal',
  async ({ state, status, removal }) => {
    const job = buildkite.state.enqueue();
    job.state = state;
    job.reservation = { stack: 'davit-0a1b2c3d-buildkite', untilEpochMs: nowEpochMs + 1000 };
    const runner = { id: 7, name: 'davit-0a1b2c3d-x' };

    expect(await ci.getJob(repository, job.id, { runner })).toMatchObject({ attempt: 1, status });
    expect(await ci.removeIfIdle(scope, 7, job.id)).toBe(removal);
    expect((await ci.getRunner(scope, 7, job.id)) === undefined).toBe(removal === 'gone');
  },
);

test('an agent gets a token for its job alone, which registers it', async () => {
  const [job, other] = [buildkite.state.enqueue(), buildkite.state.enqueue()];

  const { runner, environment } = await ci.register(scope, {
    name: 'davit-0a1b2c3d-x',
    labels: ['queue=default', 'os=linux'],
    pinnedTo: job.id,
  });
  const { BUILDKITE_AGENT_TOKEN: token = '', ...shown } = environment;
  const agent = buildkite.state.register(token, { name: 'x', tags: [] });

  expect(runner).toEqual({ id: expect.any(Number), name: 'davit-0a1b2c3d-x' });
  expect(shown).toEqual({
    BUILDKITE_AGENT_ENDPOINT: buildkite.url,
    BUILDKITE_AGENT_ACQUIRE_JOB: job.id,
    BUILDKITE_AGENT_NAME: 'davit-0a1b2c3d-x',
    BUILDKITE_AGENT_TAGS: 'queue=default,os=linux',
  });
  expect(job.state).toBe('reserved');
  expect(agent && buildkite.state.acquire(agent, other.id)).toBeUndefined();
  expect(agent && buildkite.state.acquire(agent, job.id)).toBe(job);
});

test('a job that another agent has gets no agent, and the reason names it', async () => {
  const job = buildkite.state.enqueue();
  job.state = 'running';
  const runner = { name: 'davit-0a1b2c3d-x', labels: ['queue=default'], pinnedTo: job.id };

  await expect(ci.register(scope, runner)).rejects.toMatchObject({
    name: 'TransientError',
    code: 'CiUnavailable',
    detail: `buildkite: Buildkite issues no token for job ${job.id}: another agent has it, or it is over`,
  });
});

test('a reservation that is not extended is given back', async () => {
  const job = buildkite.state.enqueue();
  const held = ci.pinned;
  await held.lease.reserve([job.id]);
  nowEpochMs += held.lease.reservationMs / 2;
  await held.lease.reserve([job.id]);
  nowEpochMs += held.lease.reservationMs - 1;

  const before = buildkite.state.settled(job).state;
  nowEpochMs += 1;

  expect([before, buildkite.state.settled(job).state]).toEqual(['reserved', 'scheduled']);
});

test('questions that are asked at the same time are one request', async () => {
  const jobs = Array.from({ length: 20 }, () => buildkite.state.enqueue());

  const states = await Promise.all(jobs.map(({ id }) => ci.getJob(repository, id)));

  expect(states.map((state) => state?.status)).toEqual(jobs.map(() => 'queued'));
  expect(buildkite.exchanges.filter(({ path }) => path.endsWith('/get-states'))).toHaveLength(1);
});

test('a job ends with the reason why no agent came, and one that has begun does not', async () => {
  const [waiting, running] = [buildkite.state.enqueue(), buildkite.state.enqueue()];
  running.state = 'running';
  const held = ci.pinned;

  await held.finish(waiting.id, 'davit: no node has 64 cores');
  await held.finish(waiting.id, 'davit: again');
  await held.finish(running.id, 'davit: no node has 64 cores');

  expect(waiting).toMatchObject({ state: 'finished', exitStatus: '-1', finishedWith: 'davit: no node has 64 cores' });
  expect(running.state).toBe('running');
});

test('a note of any length is shown', async () => {
  const job = buildkite.state.enqueue();
  const held = ci.pinned;

  await held.notify([{ jobId: job.id, detail: 'x'.repeat(300) }]);

  expect(job.notifications).toEqual([expect.stringMatching(/^x+/)]);
});

test('the stack is registered once, and again when somebody has removed it', async () => {
  await ci.listJobs(scope, ['queued']);
  await ci.listJobs(scope, ['queued']);
  buildkite.state.stacks.clear();

  await expect(ci.listJobs(scope, ['queued'])).rejects.toThrow('No stack found');
  await ci.listJobs(scope, ['queued']);

  expect(buildkite.exchanges.filter(({ path }) => path === '/stacks/register')).toHaveLength(2);
});

test('two installations with the same name in davit.yaml are two stacks', async () => {
  const [one, other] = [open(), open({ readInstallationId: async () => 'ffffffff' })];

  await one.listJobs(scope, ['queued']);
  await other.listJobs(scope, ['queued']);

  expect([...buildkite.state.stacks]).toEqual(['davit-0a1b2c3d-buildkite', 'davit-ffffffff-buildkite']);
});

test('a stack has the key that davit.yaml gives it', async () => {
  const readInstallationId = async () => {
    throw new Error('nobody asks for it');
  };

  await open({ stack: 'builds', readInstallationId }).listJobs(scope, ['queued']);

  expect([...buildkite.state.stacks]).toEqual(['builds']);
});

import * as z from 'zod';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import type { SeenJob } from '../../../../core/job/job-record.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { answerJobs } from '../../../../functions/jobs/jobs.ts';
import { JobList } from '../../../../functions/jobs/queued-job-view-schema.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteRoundCursors } from '../../../../local/store/sqlite-ci-memory.ts';
import { sqliteRefusedWebhooks } from '../../../../local/store/sqlite-refused-webhooks.ts';
import { joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { worldsGitea } from '../../../support/ci-world.ts';
import { makeLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { queuedAtEpochMs as now, seenJob } from '../../../support/seen-job.ts';
import { send } from '../../../support/send-http.ts';

const launchId = 'gitea-7-8-1';
const signal = { code: 'Unschedulable', detail: '0/1 nodes are available', sinceEpochMs: now + 5000 };

function makeDeps() {
  const profiles = [makeProfile({ name: 'linux', labels: ['linux'] }), makeProfile({ name: 'arm', labels: ['arm'] })];
  return {
    ...makeLaunchDeps({ ciSystems: [worldsGitea], profiles, nowEpochMs: () => now + 60_000 }),
    refusedWebhooks: sqliteRefusedWebhooks(openStore(':memory:')),
    cursors: sqliteRoundCursors(openStore(':memory:')),
  };
}

type Deps = ReturnType<typeof makeDeps>;
let deps: Deps;
beforeEach(() => {
  deps = makeDeps();
});

function ask(by: Deps, query: Record<string, string> = {}) {
  return send((request) => answerJobs(by, request), { method: 'GET', path: '/jobs', query });
}

async function list(by: Deps, query: Record<string, string> = {}): Promise<JobList> {
  const { status, body } = await ask(by, query);
  expect(status).toBe(200);
  return z.strictObject(JobList.shape).parse(body);
}

async function namesOn(by: Deps, query: Record<string, string> = {}): Promise<string[]> {
  return (await list(by, query)).jobs.map(({ name }) => name);
}

async function launched({ jobs, launches }: Deps, overrides: Partial<LaunchRecord>): Promise<void> {
  const job = await jobs.note(seenJob(), now);
  await jobs.claimLaunch(job, 0, launchId, now);
  await launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId), ...overrides }));
}

test('a queued job shows its profile, since when it waits, and what for', async () => {
  await deps.jobs.note(seenJob({ workflow: 'ci', runId: 5, url: 'https://gitea.example.com/acme/app/5' }), now);

  const { jobs } = await list(deps);

  expect(jobs).toEqual([
    {
      jobKey: 'gitea/7/8/1',
      ciSystem: 'gitea',
      status: 'queued',
      name: 'build',
      repository: 'acme/app',
      workflow: 'ci',
      runId: 5,
      attempt: 1,
      url: 'https://gitea.example.com/acme/app/5',
      labels: ['linux'],
      seenAt: '2026-11-22T12:00:00.000Z',
      queuedAt: '2026-11-22T12:00:00.000Z',
      waitsForSeconds: 60,
      profile: 'linux',
      waitsFor: { reason: 'NotRequested', detail: 'davit has not requested an agent for it yet' },
      launches: 0,
    },
  ]);
});

test.each<[string, Partial<LaunchRecord>, object]>([
  ['is launching', {}, { reason: 'AgentLaunching', detail: expect.stringMatching(/^agent \S+ is being launched$/) }],
  [
    'cannot be placed',
    { signal },
    {
      reason: 'AgentLaunching',
      detail: 'Unschedulable: 0/1 nodes are available',
      signal: {
        code: 'Unschedulable',
        detail: '0/1 nodes are available',
        since: '2026-11-22T12:00:05.000Z',
        forSeconds: 55,
      },
    },
  ],
  ['is connected', { status: 'connected' }, { reason: 'AgentConnected' }],
  [
    'runs another job',
    { status: 'connected', runs: { jobKey: 'gitea/7/9/1', sinceEpochMs: now } },
    { reason: 'AgentTaken', detail: expect.stringContaining('gitea/7/9/1') },
  ],
  [
    'has failed',
    {
      status: 'failed',
      ending: { outcome: 'failed', code: 'ImagePullFailed', message: 'no such image', by: 'x', atEpochMs: now },
    },
    { reason: 'AgentEnded', detail: expect.stringContaining('no such image') },
  ],
])('a job whose agent %s says so', async (_words, overrides, expected) => {
  await launched(deps, overrides);

  const { jobs } = await list(deps);

  expect(jobs).toMatchObject([{ waitsFor: expected, launches: 1, launch: { launchId } }]);
});

test('a job without a profile, or without a launch, says why', async () => {
  await deps.jobs.note(seenJob({ jobId: 1, labels: ['windows'] }), now);
  await deps.jobs.note(seenJob({ jobId: 2 }), now + 1000);
  await deps.jobs.noteNotLaunched(seenJob({ jobId: 2 }), 'cluster eu-1 is away');

  const { jobs } = await list(deps);

  expect(jobs.map(({ waitsFor }) => waitsFor)).toEqual([
    { reason: 'NoProfile', detail: "no profile has all of the job's labels: windows" },
    { reason: 'NotRequested', detail: 'cluster eu-1 is away' },
  ]);
});

test('jobs over a limit show the limit, and their position in the order of admission', async () => {
  deps = { ...deps, agentLimits: [{ organizations: ['acme'], maxAgents: 2 }] };
  const limit = { key: 'organization/gitea/acme', of: 'acme', maxAgents: 2 };
  for (const index of [1, 2]) {
    const slot = { launchId: `gitea-7-${index}-1`, repository: 'acme/app', takenAtEpochMs: now };
    await deps.slots.take(limit, `holder-${index}`, slot);
  }
  const jobs = [{ name: 'a' }, { name: 'b' }, { name: 'c', repository: { owner: 'acme', name: 'lib' } }];
  for (const [index, given] of jobs.entries()) {
    const seen = seenJob({ jobId: index, ...given, queuedAtEpochMs: now + index });
    await deps.jobs.note(seen, now + index * 1000);
    await deps.jobs.noteLimited(seen, 0, limit.key, 'waits');
  }

  const listed = await list(deps);

  expect(listed.jobs.map(({ name, waitsFor }) => [name, waitsFor])).toEqual([
    ['a', { reason: 'Limit', detail: '2 of 2 agents of acme, position 2', position: 2 }],
    ['b', { reason: 'Limit', detail: '2 of 2 agents of acme, position 3', position: 3 }],
    ['c', { reason: 'Limit', detail: '2 of 2 agents of acme, position 1', position: 1 }],
  ]);
});

test('jobs are found by status, CI system, profile and repository', async () => {
  const seen: Partial<SeenJob>[] = [
    { name: 'a' },
    { name: 'b', labels: ['arm'] },
    { name: 'c', repository: { owner: 'Acme', name: 'Lib' } },
    { name: 'd', status: 'waiting' },
    { name: 'e', status: 'in_progress' },
    { name: 'f', ciSystem: 'unknown' },
  ];
  for (const [index, given] of seen.entries()) await deps.jobs.note(seenJob({ jobId: index, ...given }), now + index);

  expect(await namesOn(deps)).toEqual(['a', 'b', 'c']);
  expect(await namesOn(deps, { status: 'waiting' })).toEqual(['d']);
  expect(await namesOn(deps, { status: 'queued,waiting' })).toEqual(['a', 'b', 'c', 'd']);
  expect(await namesOn(deps, { profile: 'arm' })).toEqual(['b']);
  expect(await namesOn(deps, { repository: 'acme/lib' })).toEqual(['c']);
  expect(await namesOn(deps, { ciSystem: 'gitea' })).toEqual(['a', 'b', 'c']);
  expect(await namesOn(deps, { ciSystem: 'unknown' })).toEqual([]);
});

test('the pages of a query have each job once, oldest first, whatever the page size', async () => {
  const count = 130;
  for (let jobId = 0; jobId < count; jobId += 1) {
    await deps.jobs.note(seenJob({ jobId, name: `${jobId}` }), now + (count - jobId) * 1000);
  }

  const names: string[] = [];
  let cursor: string | undefined;
  const sizes: number[] = [];
  do {
    const page = await list(deps, { limit: '60', ...(cursor === undefined ? {} : { cursor }) });
    names.push(...page.jobs.map(({ name }) => name));
    sizes.push(page.jobs.length);
    cursor = page.cursor;
  } while (cursor !== undefined);

  expect(sizes).toEqual([60, 60, 10]);
  expect(names).toEqual(Array.from({ length: count }, (_, index) => `${count - 1 - index}`));
});

test('a job that already runs is not shown, even while the index has it', async () => {
  await deps.jobs.note(seenJob({ status: 'in_progress' }), now);
  const jobKey = jobKeyOf(seenJob());
  deps.jobs.listWaiting = async () => [
    { jobKey, sinceEpochMs: now },
    { jobKey: 'gitea/7/99/1', sinceEpochMs: now },
  ];

  expect((await list(deps)).jobs).toEqual([]);
});

test.each([{ status: 'completed' }, { limit: '0' }, { cursor: 'none' }, { cursor: 'bm9uZQ' }, { colour: 'red' }])(
  '%o is refused',
  async (query) => {
    expect(await ask(deps, query)).toMatchObject({ status: 400 });
  },
);

test('webhooks that were refused in the last hour are on the first page, with the last reason', async () => {
  const refused = { ciSystem: 'gitea', count: 12, why: 'the signature is missing' };
  await deps.refusedWebhooks.note({ ...refused, atEpochMs: now });

  const shown = await list(deps);
  const ofOther = await list(deps, { ciSystem: 'other' });
  const later = await list({ ...deps, nowEpochMs: () => now + 3_600_001 });

  const at = new Date(now).toISOString();
  expect(shown.refusedWebhooks).toEqual([{ ...refused, since: at, lastAt: at }]);
  expect(ofOther).not.toHaveProperty('refusedWebhooks');
  expect(later).not.toHaveProperty('refusedWebhooks');
});

test('the first page says within which time a lost webhook is found, as soon as rounds have listed something', async () => {
  const before = await list(deps);
  await deps.cursors.keep('gitea', { turn: { scopes: 5000, listed: 21 }, atEpochMs: now });
  const byTurns = await list(deps);
  const ofOther = await list(deps, { ciSystem: 'other' });
  const seen = { ids: ['1'], atEpochMs: now };
  await deps.cursors.keep('gitea', { turn: { scopes: 5000, listed: 21 }, deliveries: { seen }, atEpochMs: now + 1 });
  const byDeliveries = await list(deps);

  expect(before).not.toHaveProperty('lostWebhooks');
  expect(byTurns.lostWebhooks).toEqual([{ ciSystem: 'gitea', foundWithinSeconds: 239 * 60 }]);
  expect(ofOther).not.toHaveProperty('lostWebhooks');
  expect(byDeliveries.lostWebhooks).toEqual([{ ciSystem: 'gitea', foundWithinSeconds: 60 }]);
});

import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import type { JobRecord, SeenJob } from '../../../../core/job/job-record.ts';
import type { AgentLimit } from '../../../../core/limits/agent-limit.ts';
import { admitWaiting, listWaitingForSlots } from '../../../../logic/lifecycle/admit-waiting.ts';
import { tombstoneOf } from '../../../contract/launch-fixtures.ts';
import { afterCalls, beforeCalls } from '../../../support/around-calls.ts';
import { worldsGitea } from '../../../support/ci-world.ts';
import { failTest } from '../../../support/fail-test.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { jobIdOf, queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';
import { reportAway } from '../../../support/two-clusters.ts';

const nowEpochMs = queuedAtEpochMs + 60_000;
const noCredential = CiSystemConfig.parse({
  name: 'gitea',
  provider: 'gitea',
  url: 'http://gitea.example',
  webhookSecret: 's',
});
const ofOwner: AgentLimit = { organizations: ['acme'], maxAgents: 2 };
const linux = makeProfile({ name: 'linux', labels: ['linux'], runner: 'gitea' });
let deps: TestLaunchDeps;

beforeEach(() => {
  deps = makeLaunchDeps({
    ciSystems: [worldsGitea],
    profiles: [linux],
    agentLimits: [ofOwner],
    nowEpochMs: () => nowEpochMs,
  });
});

/** Notes a job that waits for a slot; a later one was queued later. */
async function wait(jobId: number, given: Partial<SeenJob & Pick<JobRecord, 'launches'>> = {}): Promise<void> {
  const { launches = 0, ...seen } = given;
  const job = seenJob({ jobId, queuedAtEpochMs: queuedAtEpochMs + jobId, ...seen });
  await deps.jobs.note(job, nowEpochMs);
  for (let counted = 0; counted < launches; counted += 1) {
    await deps.jobs.claimLaunch(job, counted, `gitea-7-${jobId}-1-x${counted}`, nowEpochMs);
  }
  await deps.jobs.noteLimited(job, launches, 'organization/gitea/acme', 'full');
}

async function recordOf(jobId: number): Promise<JobRecord> {
  const record = await deps.jobs.get(jobIdOf(seenJob({ jobId })));
  return record ?? failTest('the job is not known');
}

/** @returns the launches that were started */
async function admit(list = () => listWaitingForSlots(deps), hasTime = () => true): Promise<string[]> {
  await admitWaiting(deps, list, hasTime);
  return [...deps.executions.started.keys()];
}

describe('the jobs that wait for slots', () => {
  test('have the priority of their profile, and come last without a time', async () => {
    deps.profiles = [{ ...linux, priority: 5 }, makeProfile({ name: 'mac', labels: ['mac'], runner: 'gitea' })];
    await wait(1);
    await wait(2, { labels: ['mac'], queuedAtEpochMs: undefined });

    expect(await listWaitingForSlots(deps)).toMatchObject([
      { priority: 5, queuedAtEpochMs: queuedAtEpochMs + 1 },
      { priority: 0, queuedAtEpochMs: Number.MAX_SAFE_INTEGER },
    ]);
  });

  test.each([
    { what: 'is over', change: async () => void (await deps.jobs.note(seenJob({ status: 'completed' }), nowEpochMs)) },
    { what: 'waits for something else', change: () => deps.jobs.noteNotLaunched(seenJob(), 'all clusters are away') },
    { what: 'no profile takes', change: async () => void (deps.profiles = []) },
  ])('do not include one that $what, although the index still has it', async ({ change }) => {
    await wait(8);
    const listed = await deps.jobs.listLimited('gitea');
    deps.jobs.listLimited = async () => listed;

    await change();

    expect(listed).toHaveLength(1);
    expect(await listWaitingForSlots(deps)).toEqual([]);
  });

  test('are not read when there are none', async () => {
    deps.jobs.getMany = async () => failTest('there are none');

    expect(await listWaitingForSlots(deps)).toEqual([]);
  });
});

describe('admitting', () => {
  test('gives the next slot to the repository that has the fewest', async () => {
    for (const jobId of [1, 2, 3]) await wait(jobId);
    await wait(4, { repositoryId: 9, repository: { owner: 'acme', name: 'few' } });

    expect(await admit()).toEqual(['gitea-7-1-1', 'gitea-9-4-1']);
  });

  test('counts no slot for a job that was over by then', async () => {
    deps.agentLimits = [{ ...ofOwner, maxAgents: 1 }];
    for (const jobId of [1, 2]) await wait(jobId);
    await wait(3, { repositoryId: 9, repository: { owner: 'acme', name: 'few' } });
    const waiting = await listWaitingForSlots(deps);
    await deps.jobs.note(seenJob({ jobId: 1, status: 'completed' }), nowEpochMs);

    expect(await admit(async () => waiting)).toEqual(['gitea-7-2-1']);
  });

  test('asks a full limit once for all of its jobs', async () => {
    for (const jobId of [1, 2, 3, 4]) await wait(jobId);
    const slot = { launchId: 'gitea-7-9-1', repository: 'acme/app', takenAtEpochMs: nowEpochMs };
    const full = new Map(['one', 'two'].map((holder) => [holder, slot]));
    let takes = 0;
    deps.slots.get = async () => (takes === 0 ? new Map() : full);
    deps.slots.take = async () => {
      takes += 1;
      return false;
    };

    expect(await admit()).toEqual([]);
    expect(takes).toBe(1);
  });

  test('ends even if others take each slot that it sees free', async () => {
    await wait(1);
    let takes = 0;
    deps.slots.take = async () => {
      takes += 1;
      if (takes > 20) throw new Error('it tries for ever');
      return false;
    };

    expect(await admit()).toEqual([]);
    expect(takes).toBe(2);
  });

  test('stops when there is no time for one more', async () => {
    for (const jobId of [1, 2]) await wait(jobId);
    let begun = 0;

    expect(await admit(undefined, () => (begun += 1) <= 1)).toHaveLength(1);
  });

  test('claims a registered job once', async () => {
    await wait(1);
    let claims = 0;
    beforeCalls(deps.jobs, 'claimLaunch', () => (claims += 1));

    await admit();

    expect(claims).toBe(1);
  });

  test.each([
    { launches: 9999, admitted: ['gitea-7-1-1-x9999'] },
    { launches: 10_000, admitted: [] },
  ])('launches $admitted for a job that was launched $launches times', async ({ launches, admitted }) => {
    await wait(1, { launches });

    expect(await admit()).toEqual(admitted);
  });

  test.each([
    { buried: ['gitea-7-1-1'], admitted: ['gitea-7-1-1-x1'] },
    { buried: ['gitea-7-1-1', 'gitea-7-1-1-x1'], admitted: ['gitea-7-1-1-x2'] },
  ])('launches $admitted at once after launches that were over before they began', async ({ buried, admitted }) => {
    await wait(1);
    for (const launchId of buried) await deps.launches.request(tombstoneOf(launchId));

    expect(await admit()).toEqual(admitted);
    expect(await recordOf(1)).toMatchObject({ launches: buried.length + 1 });
  });

  test('lets a job wait on whose launch was over before it began, if its last slot was taken meanwhile', async () => {
    deps.agentLimits = [{ ...ofOwner, maxAgents: 1 }];
    await wait(1);
    await deps.launches.request(tombstoneOf('gitea-7-1-1'));
    const [limit = failTest('a limit')] = (await listWaitingForSlots(deps))[0]?.limits ?? [];
    const slot = { launchId: 'gitea-7-9-1', repository: 'acme/app', takenAtEpochMs: nowEpochMs };
    afterCalls(deps.slots, 'free', () => deps.slots.take(limit, 'another', slot));

    expect(await admit()).toEqual([]);
    expect(await recordOf(1)).toMatchObject({
      launches: 1,
      limitedBy: 'organization/gitea/acme',
      notLaunched: 'its launch was never started',
    });
  });

  test.each([
    { system: worldsGitea, waits: 'for a cluster', limitedBy: undefined },
    { system: noCredential, waits: 'for its slot as well', limitedBy: 'organization/gitea/acme' },
  ])('lets a job wait $waits while all clusters are away', async ({ system, limitedBy }) => {
    deps.ciSystems = [system];
    await reportAway(deps.clusterStates, 'sandbox', nowEpochMs - 10_000);
    await wait(1);

    expect(await admit()).toEqual([]);
    const record = await recordOf(1);
    expect(record.notLaunched).toMatch(/^cluster sandbox is away: Unreachable since /);
    expect(record.limitedBy).toBe(limitedBy);
  });
});

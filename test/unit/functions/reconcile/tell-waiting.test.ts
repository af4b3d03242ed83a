import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const minuteMs = 60_000;
const given = { runner: 'gitea' as const, labels: ['linux'], idleSeconds: 3600 };
let world: CiWorld;

beforeEach(async () => {
  await begin(makeProfile({ ...given, tellAfterSeconds: 150 }));
});

async function begin(profile: ReturnType<typeof makeProfile>): Promise<void> {
  world = new CiWorld([profile]);
  const place = { repository: { owner: 'acme', name: 'app' }, organization: 'acme' };
  await world.deps.jobs.noteRepository('gitea', place, world.nowEpochMs);
}

/** Queues a job, and launches for it. */
async function queue(sha = 'c0ffee'): Promise<FakeJob> {
  const job = world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs, sha });
  await world.deliver('queued', job);
  return job;
}

/** Reconciles once a minute. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    world.nowEpochMs += minuteMs;
    await world.reconcile();
  }
}

const said = () => [...world.ci.statuses.values()].map(({ sha, state, description }) => [sha, state, description]);
const asked = () => world.ci.asked.filter((what) => what === 'setCommitStatus').length;

test('a job that waits long gets one waiting status, which is withdrawn when it runs', async () => {
  const job = await queue();
  const [launch] = await world.launches();
  if (launch === undefined) throw new Error('one was launched');

  await pass(2);
  const early = said();
  await pass(3);
  const late = said();
  const asks = asked();
  await world.connect(launch);
  const [connected] = await world.launches();
  world.ci.assign(connected?.runner?.id ?? 0);
  await pass(3);

  expect(early).toEqual([]);
  expect(late).toEqual([['c0ffee', 'pending', 'its agent is being launched']]);
  expect(asks).toBe(1);
  expect(said()).toEqual([['c0ffee', 'success', 'an agent runs the job']]);
  expect(asked()).toBe(2);
  expect(job.status).toBe('in_progress');
});

test('a job whose launch failed gets a waiting status with the reason at once, and a new reason replaces it', async () => {
  await queue();
  const [launch] = await world.launches();
  const ending = { outcome: 'failed', code: 'ImagePullFailed', message: 'ImagePullFailed: no image', by: 'x' } as const;
  await world.deps.launches.end(launch?.launchId ?? '', { ...ending, atEpochMs: world.nowEpochMs });

  await pass(1);
  const failed = said();
  await pass(3);

  expect(failed).toEqual([['c0ffee', 'pending', expect.stringMatching(/^ImagePullFailed: no image\. /)]]);
  // A replacement is under way, and the job has waited long.
  expect(said()).toEqual([['c0ffee', 'pending', 'its agent is being launched']]);
});

test('a job that is cancelled in the queue without an event loses its waiting status', async () => {
  const job = await queue();
  await pass(4);
  job.status = 'cancelled';

  await pass(1);

  expect(said()).toEqual([['c0ffee', 'success', 'the job no longer waits for an agent']]);
});

test('a profile without reports gives its jobs no status', async () => {
  await begin(makeProfile(given));
  await queue();

  await pass(10);

  expect(said()).toEqual([]);
});

test('the oldest of many jobs are reported first, a bounded number in each round', async () => {
  for (let index = 0; index < 30; index += 1) {
    world.nowEpochMs += 10;
    await queue(`sha-${index}`);
  }

  await pass(3);
  const first = said().map(([sha]) => sha);
  await pass(1);

  expect(first).toEqual(Array.from({ length: 20 }, (_, index) => `sha-${index}`));
  expect(said()).toHaveLength(30);
});

test('a report that cannot be requested does not stop other repairs', async () => {
  await queue();
  await pass(2);
  world.reconcileDeps.invokeLater = async () => Promise.reject(new Error('Lambda is away'));

  world.nowEpochMs += minuteMs;
  const report = await world.reconcile();

  expect(report.errors).toEqual([{ subject: 'the report of job gitea/7/101/1', message: 'Lambda is away' }]);
  expect(report.seen).toHaveLength(1);
});

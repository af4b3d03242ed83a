import { LinuxWorld } from './linux-world.ts';

let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open({ idleSeconds: 3600, tellAfterSeconds: 150 });
});

/** Queues a job, and launches for it. */
const queue = (sha = 'c0ffee') => world.queue({ sha });

const said = () => [...world.ci.statuses.values()].map(({ sha, state, description }) => [sha, state, description]);
const asked = () => world.asked('setCommitStatus').length;

test('a job that waits long gets one waiting status, which is withdrawn when it runs', async () => {
  const job = await queue();

  await world.repairsIn(2);
  const early = said();
  await world.repairsIn(3);
  const late = said();
  const asks = asked();
  const [connected] = await world.connectAll();
  world.ci.assign(connected?.runner?.id ?? 0);
  await world.repairsIn(3);

  expect(early).toEqual([]);
  expect(late).toEqual([['c0ffee', 'pending', 'its agent is being launched']]);
  expect(asks).toBe(1);
  expect(said()).toEqual([['c0ffee', 'success', 'an agent runs the job']]);
  expect(asked()).toBe(2);
  expect(job.status).toBe('in_progress');
});

test('a job whose launch failed gets a waiting status with the reason at once, and a new reason replaces it', async () => {
  const { id } = await queue();
  await world.end(`gitea-7-${id}-1`);

  await world.repairsIn(1);
  const failed = said();
  await world.repairsIn(3);

  expect(failed).toEqual([['c0ffee', 'pending', expect.stringMatching(/^no image\. /)]]);
  // A replacement is under way, and the job has waited long.
  expect(said()).toEqual([['c0ffee', 'pending', 'its agent is being launched']]);
});

test('a job that is cancelled in the queue without an event loses its waiting status', async () => {
  const job = await queue();
  await world.repairsIn(4);
  job.status = 'cancelled';

  await world.repairsIn(1);

  expect(said()).toEqual([['c0ffee', 'success', 'the job no longer waits for an agent']]);
});

test('a profile without reports gives its jobs no status', async () => {
  world = await LinuxWorld.open({ idleSeconds: 3600 });
  await queue();

  await world.repairsIn(10);

  expect(said()).toEqual([]);
});

test('the oldest of many jobs are reported first, a bounded number in each round', async () => {
  for (let index = 0; index < 30; index += 1) {
    world.nowEpochMs += 10;
    await queue(`sha-${index}`);
  }

  await world.repairsIn(3);
  const first = said().map(([sha]) => sha);
  await world.repairsIn(1);

  expect(first).toEqual(Array.from({ length: 20 }, (_, index) => `sha-${index}`));
  expect(said()).toHaveLength(30);
});

test('a report that cannot be requested does not stop other repairs', async () => {
  await queue();
  await world.repairsIn(2);
  world.reconcileDeps.invokeLater = async () => Promise.reject(new Error('Lambda is away'));

  const report = await world.nextRound();

  expect(report.errors).toEqual([{ subject: 'the report of job gitea/7/101/1', message: 'Lambda is away' }]);
  expect(report.seen).toHaveLength(1);
});

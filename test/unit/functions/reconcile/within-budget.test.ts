import { beforeCalls } from '../../../support/around-calls.ts';
import { LinuxWorld } from './linux-world.ts';

const minuteMs = 60_000;
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open();
});

/** Reports a limit. One round's requests are a quarter of it in five minutes. */
async function limitTightly(): Promise<void> {
  const { requests } = world.ci.usage();
  await world.nextRound();
  const cost = world.ci.usage().requests - requests;
  const resetsAtEpochMs = world.nowEpochMs + 3_600_000;
  world.ci.rate = { limit: { requests: cost * 12 * 4, left: 1, resetsAtEpochMs } };
}

test('a CI system whose share is used up is left alone for a while, and the report says so', async () => {
  await limitTightly();
  const ahead = [await world.nextRound(), await world.nextRound()];
  const asked = world.ci.asked.length;

  const paused = await world.nextRound();
  const later = await world.nextRound();

  expect(ahead.map(({ complete }) => complete)).toEqual([true, true]);
  expect(paused).toMatchObject({
    complete: false,
    errors: [
      { subject: 'CI system gitea', message: expect.stringMatching(/^left alone until 2026-11-22T12:.*: reconciling/) },
    ],
  });
  expect(later.complete).toBe(false);
  expect(world.ci.asked).toHaveLength(asked);
});

test('a CI system is asked again when it has earned another round, and two agreeing looks launch, however far apart', async () => {
  world.queueUnseen();
  await limitTightly();
  await world.repairsIn(12);

  expect(world.requested).toHaveLength(1);
});

test('a CI system without a limit is asked each minute', async () => {
  for (let minute = 0; minute < 30; minute += 1) expect((await world.nextRound()).complete).toBe(true);

  expect(await world.memory.spending.get('gitea')).toBeUndefined();
});

test('a pause that a CI system demands also applies to the next process', async () => {
  world.ci.isDown = true;
  world.ci.rate = { pausedUntilEpochMs: world.nowEpochMs + 3 * minuteMs };
  await world.nextRound();
  world.ci.isDown = false;
  world.ci.rate = {};
  const asked = world.ci.asked.length;

  const paused = await world.nextRound();
  const askedMeanwhile = world.ci.asked.length - asked;
  const next = await world.nextRound();

  expect(paused.errors).toMatchObject([{ message: expect.stringContaining('the CI system accepts no requests') }]);
  expect(askedMeanwhile).toBe(0);
  expect(next.complete).toBe(true);
});

test('a round that has no time for all lists acts on those that it has read, and its requests count', async () => {
  // More than are read at a time.
  for (let number = 1; number <= 12; number += 1) {
    const repository = { owner: 'ann', name: `site-${number}` };
    await world.deps.jobs.noteRepository('gitea', { repository }, world.nowEpochMs);
  }
  world.ci.rate = { limit: { requests: 5000, left: 4999, resetsAtEpochMs: world.nowEpochMs + 3_600_000 } };
  beforeCalls(world.ci, 'listJobs', () => (world.nowEpochMs += 31_000));

  const { complete, errors } = await world.reconcile();

  expect([complete, errors]).toEqual([false, []]);
  const lists = world.asked('listJobs');
  expect(world.ci.asked).toEqual(['listDeliveries 0', ...lists]);
  expect(lists).toContain('listJobs acme');
  expect(lists.length).toBeLessThanOrEqual(8);
  expect(await world.memory.spending.get('gitea')).toMatchObject({ used: 1 + lists.length });
});

test('two looks agree however many rounds between them had no time to ask', async () => {
  world.queueUnseen();
  await world.nextRound();
  const { totalMs } = world.reconcileDeps;
  world.reconcileDeps.totalMs = 0;
  const cutShort = [];
  for (let minute = 0; minute < 5; minute += 1) cutShort.push(await world.nextRound());
  world.reconcileDeps.totalMs = totalMs;

  await world.nextRound();

  expect(cutShort.map(({ complete, repairs }) => [complete, repairs])).toEqual(cutShort.map(() => [false, []]));
  expect(world.requested).toHaveLength(1);
});

test('an outage of the CI system ages the looks: after it, two new ones must agree', async () => {
  world.queueUnseen();
  await world.nextRound();
  world.ci.isDown = true;
  await world.repairsIn(5);
  world.ci.isDown = false;

  await world.nextRound();
  const afterOne = [...world.requested];
  await world.nextRound();

  expect(afterOne).toEqual([]);
  expect(world.requested).toHaveLength(1);
});

import type { DeliveryAttempt } from '../../../../core/ci/failing-delivery.ts';
import { mostSentInRound } from '../../../../core/ci/round-shares.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { LinuxWorld, linuxProfile } from './linux-world.ts';

let world: LinuxWorld;

beforeEach(() => {
  world = new LinuxWorld([linuxProfile()]);
});

/** An attempt to deliver a webhook, now. */
function attempt(guid: string, hasSucceeded = false, event = 'workflow_job'): DeliveryAttempt {
  const made = { id: `${world.ci.nextId()}`, guid, event, hasSucceeded, atEpochMs: world.nowEpochMs };
  world.ci.deliveries.push(made);
  return made;
}

/** Has rounds repeat deliveries, each of which fails at once, unless another outcome is given. */
async function rounds(count: number, hasSucceeded = false): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    const before = world.ci.redelivered.length;
    await world.nextRound();
    for (const id of world.ci.redelivered.slice(before)) {
      const guid = world.ci.deliveries.find((each) => each.id === id)?.guid;
      attempt(guid ?? '', hasSucceeded);
    }
  }
}

test('a webhook that did not arrive is delivered again by the next round', async () => {
  const { id } = attempt('lost');
  attempt('arrived', true);
  attempt('of another event', false, 'push');

  const { repairs } = await world.nextRound();

  expect(world.ci.redelivered).toEqual([id]);
  expect(repairs).toMatchObject([{ repair: 'WebhookRedelivered', subject: 'lost' }]);
});

test('one that keeps failing is delivered again ever more rarely, for three days', async () => {
  attempt('lost');
  const attempts: number[] = [];
  for (let hour = 0; hour < 80; hour += 1) {
    await rounds(60);
    attempts.push(world.ci.redelivered.length);
  }

  expect(attempts[0]).toBe(6);
  expect(attempts[71]).toBe(20);
  expect(attempts.at(-1)).toBe(attempts[72]);
});

test('at a system with a rate limit, no round writes more than its reads leave of half a minute of points', async () => {
  for (let number = 0; number < 200; number += 1) attempt(`lost ${number}`);
  world.ci.rate = { limit: { requests: 15_000, left: 14_999, resetsAtEpochMs: world.nowEpochMs + 3_600_000 } };
  const before = world.ci.asked.length;

  await world.nextRound();

  const written = world.ci.redelivered.length;
  const read = world.ci.asked.length - before - written;
  expect(written).toBe(Math.floor((mostSentInRound - read) / 5));
});

test('a round that has used all of its points for reading repeats ten deliveries all the same', async () => {
  for (let number = 0; number < 200; number += 1) attempt(`lost ${number}`);
  const limit = { requests: 15_000, left: 14_999, resetsAtEpochMs: world.nowEpochMs + 3_600_000 };
  world.ci.rate = { limit, sent: 0 };
  beforeCalls(world.ci, 'listDeliveries', () => (world.ci.rate.sent = mostSentInRound));

  await world.nextRound();

  expect(world.ci.redelivered).toHaveLength(10);
});

test('of an outage in which thousands were lost, each is delivered again', async () => {
  for (let number = 0; number < 1200; number += 1) attempt(`lost ${number}`);

  await rounds(13, true);

  expect(new Set(world.ci.redelivered).size).toBe(1200);
});

test('one that is listed late, behind newer ones, is delivered again, once', async () => {
  attempt('arrived', true);
  world.nowEpochMs += 10_000;
  attempt('arrived then', true);
  await world.nextRound();
  const lost = { id: `${world.ci.nextId()}`, guid: 'lost', event: 'workflow_job', hasSucceeded: false };
  world.ci.deliveries.splice(1, 0, { ...lost, atEpochMs: (world.ci.deliveries[1]?.atEpochMs ?? 0) - 5000 });

  await rounds(3, true);

  expect(world.ci.redelivered).toEqual([lost.id]);
});

test('a round reads back to the last attempt that it has seen, and no further', async () => {
  for (let number = 0; number < 250; number += 1) {
    world.nowEpochMs += 1000;
    attempt(`arrived ${number}`, true);
  }
  await world.nextRound();
  world.ci.asked.length = 0;
  for (let number = 0; number < 150; number += 1) attempt(`then ${number}`, number > 0);

  await world.nextRound();

  expect(world.asked('listDeliveries')).toEqual(['listDeliveries 0', 'listDeliveries 100']);
  expect(world.ci.redelivered).toHaveLength(1);
});

test('a round that has no time to read all goes on later where it stopped', async () => {
  attempt('seen', true);
  await world.nextRound();
  attempt('lost');
  for (let number = 0; number < 450; number += 1) attempt(`arrived ${number}`, true);
  beforeCalls(world.ci, 'listDeliveries', () => (world.nowEpochMs += 4000));

  await world.nextRound();
  const early = world.ci.redelivered.length;
  await rounds(3, true);

  expect([early, world.ci.redelivered.length]).toEqual([0, 1]);
});

test('an attempt that davit has asked for, and that the list does not show yet, is not asked for again', async () => {
  attempt('lost');

  await world.repairsIn(2);

  expect(world.ci.redelivered).toHaveLength(1);
});

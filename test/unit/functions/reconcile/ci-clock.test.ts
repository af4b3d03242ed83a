import { beforeCalls } from '../../../support/around-calls.ts';
import { LinuxWorld } from './linux-world.ts';

let world: LinuxWorld;
beforeEach(async () => {
  world = await LinuxWorld.open();
});

test('a job of a CI system whose clock is 90 s behind is launched for by its event, without a wait', async () => {
  world.ci.rate = { clockAheadMs: -90_500 };
  await world.nextRound();

  const job = await world.queue({ queuedAtEpochMs: world.nowEpochMs - 90_000 });

  expect(world.requested).toEqual([`gitea-7-${job.id}-1`]);
});

test('a clock is written again only when it has moved by seconds', async () => {
  const written: number[] = [];
  beforeCalls(world.deps.ciClocks, 'keep', (_ciSystem, aheadMs) => written.push(aheadMs));

  for (const clockAheadMs of [900, -90_500, -91_400, -86_000, 300]) {
    world.ci.rate = { clockAheadMs };
    await world.nextRound();
  }
  world.ci.rate = {};
  await world.nextRound();

  expect(written).toEqual([-90_500, 300]);
});

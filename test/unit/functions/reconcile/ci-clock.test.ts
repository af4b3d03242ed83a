import { CiWorld } from '../../../support/ci-world.ts';
import { makeProfile } from '../../../support/make-profile.ts';

let world: CiWorld;
beforeEach(async () => {
  world = new CiWorld([makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 300 })]);
  const place = { repository: { owner: 'acme', name: 'app' }, organization: 'acme' };
  await world.deps.jobs.noteRepository('gitea', place, world.nowEpochMs);
});

test('a job of a CI system whose clock is 90 s behind is launched for by its event, without a wait', async () => {
  world.ci.rate = { clockAheadMs: -90_500 };
  await world.nextRound();
  const job = world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs - 90_000 });

  await world.deliver('queued', job);

  expect(world.requested).toEqual([`gitea-7-${job.id}-1`]);
});

test('a clock is written again only when it has moved by seconds', async () => {
  const written: number[] = [];
  const keep = world.deps.ciClocks.keep.bind(world.deps.ciClocks);
  world.deps.ciClocks.keep = async (ciSystem, aheadMs) => {
    written.push(aheadMs);
    await keep(ciSystem, aheadMs);
  };

  for (const clockAheadMs of [900, -90_500, -91_400, -86_000, 300]) {
    world.ci.rate = { clockAheadMs };
    await world.nextRound();
  }
  world.ci.rate = {};
  await world.nextRound();

  expect(written).toEqual([-90_500, 300]);
});

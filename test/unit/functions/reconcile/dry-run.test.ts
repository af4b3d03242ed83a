import { LinuxWorld } from './linux-world.ts';

test('a dry run says what a reconcile would do, and writes nothing', async () => {
  const world = await LinuxWorld.open();
  const { id } = world.queueUnseen();
  await world.nextRound();
  world.nowEpochMs += 60_000;

  const dry = await world.reconcile({ dryRun: true });
  const again = await world.reconcile({ dryRun: true });

  const launch = {
    ciSystem: 'gitea',
    kind: 'launch',
    subject: `job gitea/7/${id}/1`,
    reason: `it is queued without an agent: launch gitea-7-${id}-1`,
  };
  expect([dry.planned, again.planned]).toEqual([[launch], [launch]]);
  expect(dry.repairs).toEqual([]);
  expect(world.requested).toEqual([]);
});

import { slotMs } from '../../../../core/ci/request-pace.ts';
import type { SystemPace } from '../../../../logic/pace/system-pace.ts';
import { testPace } from '../../../support/make-launch-deps.ts';
import { LinuxWorld, linuxProfile } from './linux-world.ts';

const minuteMs = 60_000;
let world: LinuxWorld;
let pace: SystemPace;
/** How many points registrations take in each slot of the round. */
let registrations: number;

async function register(): Promise<void> {
  for (let count = 0; count < registrations; count += 1) await pace.take('gitea', 'registration', { writes: 1 });
}

beforeEach(async () => {
  registrations = 0;
  world = new LinuxWorld([linuxProfile({ idleSeconds: 3600 })], (deps) => ({
    ...deps,
    pace,
    sleep: async (ms) => {
      world.nowEpochMs += ms;
      await register();
    },
  }));
  pace = testPace([{ name: 'gitea', provider: 'github' }], () => world.nowEpochMs);
  Object.assign(world.reconcileDeps, { pace });
  world.ci.listsJobsOf = 'repository';
  for (let number = 100; number < 400; number += 1) await world.know(`app-${number}`);
});

test('a round asks no more in each slot than its part, and goes on in the next ones as long as it has time', async () => {
  const beganEpochMs = world.nowEpochMs;

  await world.nextRound();

  const slots = Math.ceil((0.7 * 30_000) / slotMs);
  expect(world.ci.asked.length).toBeGreaterThan(80);
  expect(world.ci.asked.length).toBeLessThanOrEqual(slots * (26 + 2));
  expect(world.nowEpochMs).toBeGreaterThan(beganEpochMs);
});

test('a round asks for little while registrations need the minute, and leaves them all that they take', async () => {
  registrations = 9;
  world.nowEpochMs += minuteMs;
  await register();

  await world.reconcile();
  const during = world.ci.asked.length;
  registrations = 0;
  await world.nextRound();

  expect(during).toBeGreaterThanOrEqual(2);
  expect(during).toBeLessThanOrEqual(2 * Math.ceil((0.7 * 30_000) / slotMs));
  expect(world.ci.asked.length - during).toBeGreaterThan(80);
});

test('a pause that another function shares holds a round back, too', async () => {
  await pace.heed('gitea', { usage: () => ({ requests: 1, pausedUntilEpochMs: world.nowEpochMs + 3 * minuteMs }) });

  const report = await world.nextRound();

  expect(world.ci.asked).toEqual([]);
  expect(report.errors).toMatchObject([{ message: expect.stringMatching(/^left alone until .*: gitea accepts no/) }]);
});

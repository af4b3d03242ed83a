import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { startLocalQueue } from '../queue/local-queue.ts';
import { startRelay } from '../queue/relay.ts';
import { runSeed } from '../queue/run-seed.ts';

/** `SEEDS=200 npm run prove -- ci queue` runs more. */
const seeds = Array.from({ length: Number(process.env['SEEDS'] ?? 20) }, (_, index) => index + 1);

const queue = await startLocalQueue();
afterAll(() => queue[Symbol.asyncDispose]());

describe('a real Gitea gives its jobs to any runner that asks', () => {
  test.concurrent.each(seeds)(
    'and every job of seed %i runs, on an agent that davit leaves alone until its end',
    async (seed) => {
      const random = seededRandom(seed);
      await using relay = await startRelay({ target: queue.webhookUrl, delayOf: () => random() * 1000 });

      const { problems } = await runSeed(queue, { organization: `mixed${seed}`, seed, webhookUrl: relay.url });

      expect(problems).toEqual([]);
      // On a busy machine the tables may answer too late. Reconciling found these jobs: all of them ran.
      expect(relay.refused.filter((answer) => !answer.startsWith('503 '))).toEqual([]);
    },
  );

  test.concurrent.each(seeds.slice(0, Math.ceil(seeds.length / 4)))(
    'and every job of seed %i runs, with three in ten webhooks lost',
    async (seed) => {
      const random = seededRandom(seed + 1000);
      const delayOf = () => (random() < 0.3 ? undefined : random() * 1000);
      await using relay = await startRelay({ target: queue.webhookUrl, delayOf });

      const { problems } = await runSeed(queue, { organization: `lossy${seed}`, seed, webhookUrl: relay.url });

      expect(problems).toEqual([]);
      expect(relay.lost()).toBeGreaterThan(0);
    },
  );
});

import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { until } from '../../cluster/until.ts';
import { type HardQueue, startHardQueue } from '../queue/hard-queue.ts';
import { startRelay } from '../queue/relay.ts';
import { noViolations, runSeed, workflowOfOneStep } from '../queue/run-seed.ts';

/** Odd seeds only: a re-run needs a Gitea that may be away. */
const seeds = [2001, 2003, 2005];
const random = seededRandom(2000);
const forbidden = 'not-allowed';
/** Between two kills, in milliseconds. */
const pauseMs = () => 4000 + random() * 8000;

let queue: HardQueue;

beforeAll(async () => {
  queue = await startHardQueue((text) => process.stderr.write(`${text}\n`), ['*/app'], random);
});
afterAll(async () => {
  await queue[Symbol.asyncDispose]();
});

test('every permitted job runs, and no forbidden one, while davit is killed, Gitea restarts, and its API is slow and fails', async () => {
  const { davit, gitea, proxy } = queue;
  await using relay = await startRelay({ target: queue.webhookUrl, delayOf: () => random() * 1000 });
  const committed = Promise.withResolvers<void>();
  let left = seeds.length;
  let kills = 0;
  let restarts = 0;

  const running = seeds.map((seed) =>
    runSeed(queue, {
      organization: `hard${seed}`,
      seed,
      webhookUrl: relay.url,
      forbidden,
      size: { tens: 1, hasNeeds: false },
      onCommitted: () => {
        left -= 1;
        if (left === 0) committed.resolve();
      },
    }),
  );
  const over = new AbortController();
  const all = Promise.all(running).finally(() => over.abort());
  const killing = (async () => {
    for (; kills < 4 && !over.signal.aborted; kills += 1) {
      await sleep(pauseMs());
      await davit.restart();
    }
  })();
  const restarting = (async () => {
    await committed.promise;
    for (; restarts < 2 && !over.signal.aborted; restarts += 1) {
      await sleep(pauseMs());
      await proxy.betweenTasks(() => gitea.restart());
    }
  })();
  await Promise.all([killing, restarting]);
  proxy.calm();
  const outcomes = await all;

  expect(outcomes.map(({ judged }) => judged)).toEqual(seeds.map(() => noViolations));
  expect(kills).toBeGreaterThan(0);
  expect(restarts).toBeGreaterThan(0);
  expect(Object.entries(proxy.hits).filter(([, hits]) => hits === 0)).toEqual([]);
  // A kill may have lost those deliveries.
  await queue.client.commitWorkflow('hard2001', forbidden, 'again.yaml', workflowOfOneStep);
  await until('davit refuses a job of the forbidden repository', 60_000, async () =>
    relay.answers.some(({ status, body }) => status === 200 && body.includes(`takes no jobs of hard2001/${forbidden}`)),
  );
});

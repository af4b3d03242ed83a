import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { handleByJobId } from '../queue/by-job-id.ts';
import { type LocalQueue, startLocalQueue } from '../queue/local-queue.ts';
import { startRelay } from '../queue/relay.ts';
import { runSeed } from '../queue/run-seed.ts';

const never = 3_600_000;
/** Gitea decides whether jobs and agents cross at a bad moment. It happens in most rounds. */
const rounds = [
  [1, 3, 5],
  [7, 9, 11],
  [13, 15, 17],
];
let queue: LocalQueue;

beforeAll(async () => {
  // The old davit had no reconcile function.
  queue = await startLocalQueue((text) => process.stderr.write(`${text}\n`), { reconcileIntervalMs: never });
});
afterAll(async () => {
  await queue[Symbol.asyncDispose]();
});

test('ending an agent with the job that requested it kills another job, or leaves one waiting', async () => {
  const random = seededRandom(1);
  const instead = (payload: unknown) => handleByJobId(queue.davit, payload);
  await using relay = await startRelay({ target: queue.webhookUrl, delayOf: () => random() * 1000, instead });
  const harmed: string[] = [];

  for (const seeds of rounds) {
    const run = { webhookUrl: relay.url, allJobsMs: 45_000, nothingLeftMs: 1000 };
    const outcomes = await Promise.all(
      seeds.map((seed) => runSeed(queue, { ...run, organization: `pinned${seed}`, seed })),
    );
    harmed.push(...outcomes.flatMap(({ judged }) => [...judged.endedMidway, ...judged.unfinished]));
    if (harmed.length > 0) break;
  }

  expect(harmed).not.toEqual([]);
});

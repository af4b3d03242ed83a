import * as z from 'zod';
import { ciLaunchId } from '../../../../core/launch/names.ts';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { startLocalQueue } from '../queue/local-queue.ts';
import { startRelay } from '../queue/relay.ts';
import { runSeed } from '../queue/run-seed.ts';

const never = 3_600_000;
/** Gitea decides whether jobs and agents cross at a bad moment. It happens in most rounds. */
const rounds = [
  [1, 3, 5],
  [7, 9, 11],
  [13, 15, 17],
];
const JobEvent = z.object({
  action: z.string(),
  repository: z.object({ id: z.int() }),
  workflow_job: z.object({ id: z.int(), run_attempt: z.int() }),
});

// The old davit had no reconcile function.
const queue = await startLocalQueue({ reconcileIntervalMs: never });
afterAll(() => queue[Symbol.asyncDispose]());

/**
 * Handles a job's events by davit's old rule, from before it bound jobs to the agents that run them. By that rule a
 * launch belongs to the job that requested it, whatever its agent runs, and ends with that job.
 *
 * @returns whether the rule handled the event; davit itself launches for queued jobs
 */
async function handleByJobId(payload: unknown): Promise<boolean> {
  const { action, repository, workflow_job: job } = JobEvent.parse(payload);
  const of = { ciSystem: 'gitea', repositoryId: repository.id, jobId: job.id, attempt: Math.max(1, job.run_attempt) };
  if (action === 'completed') await queue.davit.launches.end(ciLaunchId(of));
  return action !== 'queued' && action !== 'waiting';
}

test('ending an agent with the job that requested it kills another job, or leaves one waiting', async () => {
  const random = seededRandom(1);
  const rules = { target: queue.webhookUrl, delayOf: () => random() * 1000, instead: handleByJobId };
  await using relay = await startRelay(rules);
  const harmed: string[] = [];

  for (const seeds of rounds) {
    const run = { webhookUrl: relay.url, allJobsMs: 45_000, nothingLeftMs: 1000 };
    const outcomes = await Promise.all(
      seeds.map((seed) => runSeed(queue, { ...run, organization: `pinned${seed}`, seed })),
    );
    const problems = outcomes.flatMap((outcome) => outcome.problems);
    harmed.push(...problems.filter((problem) => /^(endedMidway|unfinished): /.test(problem)));
    if (harmed.length > 0) break;
  }

  expect(harmed).not.toEqual([]);
});

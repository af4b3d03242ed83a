/** Runs many jobs on a real Gitea and records the results for docs/proof.md: `npm run prove -- ci --record`. */
import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { recordFigures } from '../../../scripts/proof/last-figures.ts';
import { say } from '../cluster/say.ts';
import { startClusterQueue } from './queue/cluster-queue.ts';
import { startLocalQueue } from './queue/local-queue.ts';
import { startRelay } from './queue/relay.ts';
import { type QueueWorld, runSeed, type SeedCounts } from './queue/run-seed.ts';

/** A slow machine needs this long. */
const allJobsMs = 3_600_000;

const Arguments = z.object({
  record: z.boolean(),
  jobs: z.coerce.number('expected a number').int().min(10).multipleOf(10).default(200),
  seed: z.coerce.number('expected a number').int().min(1).default(1),
  seeds: z.coerce.number('expected a number').int().min(1).default(20),
  cluster: z.boolean().default(false),
});

const help = `npm run prove -- ci --record [options]

Runs many jobs per seed on a real Gitea, one seed after the other, and records the results for docs/proof.md. Stop it with
Ctrl-C: the results of finished seeds are kept.

  --jobs N      jobs per seed, a multiple of ten (default 200)
  --seed S      the first seed (default 1)
  --seeds N     the number of seeds (default 20)
  --cluster     runs agents in containers of a temporary real Kubernetes instead of the sandbox
`;

interface QueueRun extends SeedCounts {
  /** The judge's findings, such as `endedMidway: davit-gitea-1-2-1`. */
  problems: string[];
}

async function record({ jobs, seed: first, seeds, cluster }: z.infer<typeof Arguments>): Promise<boolean> {
  await using world = cluster ? await startClusterQueue() : await startLocalQueue();
  const runs: QueueRun[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const run = await runOne(world, world.webhookUrl, seed, jobs);
    say(`seed ${seed}: ${JSON.stringify(run)}`);
    runs.push(run);
    recordFigures(cluster ? 'npm run prove -- ci --cluster' : 'npm run prove -- ci', summaryOf(runs));
  }
  return runs.every(({ problems }) => problems.length === 0);
}

async function runOne(world: QueueWorld, target: () => string, seed: number, jobs: number): Promise<QueueRun> {
  const random = seededRandom(seed);
  await using relay = await startRelay({ target, delayOf: () => random() * 1000 });
  const organization = `many${seed}`;
  const size = { tens: jobs / 10 };
  const { problems, counts } = await runSeed(world, { organization, seed, webhookUrl: relay.url, size, allJobsMs });
  return { ...counts, problems: [...problems, ...relay.refused.map((answer) => `webhook: ${answer}`)] };
}

function summaryOf(runs: readonly QueueRun[]): string {
  const sum = (of: 'jobs' | 'crossed' | 'cancelled' | 'agents' | 'replacements') =>
    runs.reduce((total, run) => total + run[of], 0);
  const problems = runs.flatMap((run) => run.problems);
  return (
    `${sum('jobs')} jobs of ${runs.length} ${runs.length === 1 ? 'seed' : 'seeds'}, ${sum('crossed')} on the agent of another job, ${sum('cancelled')} ` +
    `cancelled; ${sum('agents')} agents, ${sum('replacements')} of them replacements; ` +
    (problems.length === 0 ? 'no problem' : problems.join('; '))
  );
}

const options = readArguments(process.argv.slice(2), Arguments);
if (options === 'help') process.stdout.write(help);
else process.exitCode = (await record(options)) ? 0 : 1;

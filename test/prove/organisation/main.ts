/** Runs davit for an organization in virtual time: `npm run prove -- organisation --help`. */
import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';
import { summarise } from '../bench/statistics.ts';
import { type OrganisationOutcome, runOrganisation } from './run-organisation.ts';

const help = `npm run prove -- organisation [options]

Runs hours of an organization on the local GitHub, in virtual time: at most 150 jobs a minute, of which 2,000 run at once.
Webhooks, reconciling and retiring are davit's own, with GitHub's limits; agents and their Pods are simulated. One webhook of
a thousand is lost, and four of five in a burst of five minutes of each hour. One request of a thousand fails, one launch of
a hundred fails, and one agent of two hundred does not exit after its job. The exit code is 1 if a job is stuck, an agent
was ended while it ran a job, or a runner or a launch is left when everything should be over.

  --hours N         how long, in virtual hours      (default 2; a day is 24)
  --repositories N  how many repositories it has    (default 5000)
  --seed S          the seed of all choices         (default 1)
  --help
`;

const whole = z.coerce.number('expected a whole number').int().min(1);
const Arguments = z.object({
  hours: whole.default(2),
  repositories: whole.default(5000),
  seed: whole.default(1),
});

function waitWords(of: string, waits: readonly { ms: number }[]): string {
  if (waits.length === 0) return `${of}: none`;
  const seconds = waits.map(({ ms }) => Math.round(ms / 1000));
  const { p50, p99 } = summarise(seconds);
  return `${of}: p50 ${p50} s, p99 ${p99} s, at most ${Math.max(...seconds)} s (n=${waits.length})`;
}

function reportOf(outcome: OrganisationOutcome): string[] {
  const { jobs, mostAtOnce, lostWebhooks, waits, requestsAnHour, repairs, settledAfterMinutes } = outcome;
  return [
    `${jobs} jobs, at most ${mostAtOnce} at once; ${lostWebhooks} webhooks were lost at first`,
    waitWords('a job waited for its runner', waits),
    waitWords(
      'a job whose first webhook was lost',
      waits.filter(({ isLost }) => isLost),
    ),
    `${requestsAnHour} requests an hour that count`,
    `repairs: ${[...repairs].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    settledAfterMinutes === undefined
      ? 'it was not over in time'
      : `everything was over ${settledAfterMinutes} min after the last job was queued`,
  ];
}

async function prove(size: z.infer<typeof Arguments>): Promise<void> {
  const outcome = await runOrganisation({ ...size, say: (line) => console.log(line) });
  for (const line of reportOf(outcome)) console.log(line);
  const { stuck, killed, runnersLeft, launchesLeft } = outcome;
  const judged = {
    'jobs stuck': stuck,
    'agents ended while they ran a job': killed,
    'runners left': runnersLeft,
    'launches left': launchesLeft,
  };
  for (const [what, found] of Object.entries(judged)) {
    console.log(
      `${found.length === 0 ? '✓' : '✗'} ${what}: ${found.length} ${found.slice(0, 10).join(', ')}`.trimEnd(),
    );
    if (found.length > 0) process.exitCode = 1;
  }
}

const options = readArguments(process.argv.slice(2), Arguments, { short: 'h' });
if (options === 'help') process.stdout.write(help);
else await prove(options);

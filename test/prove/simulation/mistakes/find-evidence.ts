/**
 * Prints, as JSON, the first seed in which each judge sees that something is wrong: the simulation's own invariants, the
 * trace checker and the checker of jobs' histories. Each third seed is one of a mixed world. A mistake that the trace
 * checker sees in no world may show in random commands to the transitions. Runs only worlds in which a mistake of this kind
 * may show: `node find-evidence.ts SEEDS AREA`, in a tree with a mistake.
 */
import * as transitions from '../../../../core/launch/transitions.ts';
import { type Judge, judges, type Sighting } from '../../../../scripts/proof/found-mistakes.ts';
import { judge } from '../../../../simulation/invariants/invariants.ts';
import { type Run, runSeed } from '../../../../simulation/run-seed.ts';
import { themeOf } from '../../../../simulation/world/themes.ts';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { jobEventsOf } from '../evidence/job-events.ts';
import { verifyRun } from '../evidence/trace-of.ts';
import { firstRefused } from '../transitions/first-refused.ts';

const ruleBroken: Readonly<Record<Judge, (run: Run) => string | undefined>> = {
  simulation: (run) => judge(run)[0]?.invariant,
  trace: (run) => verifyRun(run).findings[0]?.rule,
  history: (run) => verifyJobs(jobEventsOf(run)).findings[0]?.rule,
};

/** What the trace checker sees of random commands to the transitions. */
function seenInCommands(): Sighting | undefined {
  const refused = firstRefused(transitions, 300);
  return refused && { seed: refused.seed, of: 'commands', rule: refused.finding.rule };
}

Error.stackTraceLimit = 0;
const [, , count, area = ''] = process.argv;
const seeds = Number(count);
const ofQueues = new Set(['registration', 'retire', 'limits', 'warm', 'reconcile']);
const seen = new Map<Judge, Sighting>();
let tried = 0;
for (let seed = 1; tried < seeds && seen.size < judges.length; seed += 1) {
  const isMixed = seed % 3 === 0;
  if (ofQueues.has(area) && !isMixed && themeOf(seed)?.isOfQueue !== true) continue;
  tried += 1;
  const run = await runSeed(seed, { isMixed });
  for (const name of judges) {
    const rule = seen.has(name) ? undefined : ruleBroken[name](run);
    if (rule !== undefined) seen.set(name, { seed, of: isMixed ? 'mixed world' : 'world', rule });
  }
}
if (!seen.has('trace')) {
  const sighting = seenInCommands();
  if (sighting !== undefined) seen.set('trace', sighting);
}
process.stdout.write(JSON.stringify(Object.fromEntries(seen)));

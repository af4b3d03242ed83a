/**
 * Prints, as JSON, the first seed in which each judge sees that something is wrong: the simulation's own invariants, the
 * trace checker and the checker of jobs' histories. Each third seed is one of a mixed world, and of a mistake that is to
 * be provoked each second one of a world that does so. A mistake that the trace checker sees in no world may show in random
 * commands to the transitions. Runs only worlds in which a mistake of this kind may show, until each judge has seen it:
 * `node find-evidence.ts SEEDS NAME`, in a tree with that mistake.
 */
import * as transitions from '../../../../core/launch/transitions.ts';
import { judge } from '../../../../simulation/invariants/invariants.ts';
import type { Run, Scenario } from '../../../../simulation/run-seed.ts';
import { themeOf } from '../../../../simulation/world/themes.ts';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { jobEventsOf } from '../evidence/job-events.ts';
import { runTraced, verifyRun } from '../evidence/trace-of.ts';
import { firstRefused } from '../transitions/first-refused.ts';
import { type Judge, judges, type Sighting } from './found-mistakes.ts';
import { mistakes } from './mistakes.ts';
import { provoking } from './provoked-world.ts';

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
const [, , count, name] = process.argv;
const seeds = Number(count);
const mistake = mistakes.find((each) => each.name === name);
if (mistake === undefined) throw new Error(`there is no mistake called ${name}`);
const { of: area, provoked } = mistake;
const ofQueues = new Set(['registration', 'retire', 'limits', 'warm', 'reconcile']);
const seen = new Map<Judge, Sighting>();

/** @returns undefined for a seed whose world cannot show the mistake */
function worldOf(seed: number): { of: Sighting['of']; scenario: Scenario } | undefined {
  if (provoked !== undefined && seed % 2 === 0) return { of: 'provoked world', scenario: provoking(provoked) };
  if (seed % 3 === 0) return { of: 'mixed world', scenario: { isMixed: true } };
  if (ofQueues.has(area) && themeOf(seed)?.isOfQueue !== true) return undefined;
  return { of: 'world', scenario: { isMixed: false } };
}

let tried = 0;
for (let seed = 1; tried < seeds && judges.some((each) => !seen.has(each)); seed += 1) {
  const world = worldOf(seed);
  if (world === undefined) continue;
  tried += 1;
  const run = await runTraced(seed, world.scenario);
  for (const each of judges) {
    const rule = seen.has(each) ? undefined : ruleBroken[each](run);
    if (rule !== undefined) seen.set(each, { seed, of: world.of, rule });
  }
}
if (!seen.has('trace')) {
  const sighting = seenInCommands();
  if (sighting !== undefined) seen.set('trace', sighting);
}
process.stdout.write(JSON.stringify(Object.fromEntries(seen)));

/** Runs davit in simulated worlds, and reports violations: `npm run simulate -- --seeds N [--seed S]`. */
import { present } from '../core/present.ts';
import { ArgumentError } from '../local/read-arguments.ts';
import { recordFigures } from '../scripts/proof/last-figures.ts';
import { readSimulateArguments, type SimulateArguments, simulateHelp } from './arguments.ts';
import { codeDigest } from './code-digest.ts';
import { keepRuns, openRuns } from './kept-runs.ts';
import { brokenLine, shrunkReport, summaryOf, tables, trace } from './report.ts';
import { runInThreads } from './run-in-threads.ts';
import { runSeed, type Scenario } from './run-seed.ts';
import { runsToItsEnd } from './run-seeds.ts';
import { addTally, type Broken, emptyTally, type Tally } from './tally.ts';

const mostFindings = 3;

/** How many seeds run between two writes of the results: minutes. */
const seedsOfPart = 3000;

/** Runs the requested seeds. @returns whether every invariant held */
async function simulate(options: SimulateArguments): Promise<boolean> {
  const { seed: fromSeed, seeds, workers, faults: plan, jobs, queued, ci, times, mixed: isMixed, keep } = options;
  const scenario: Scenario = present({ plan, jobs, queued, ci, times, isMixed });
  if (options.trace) print(trace(await runSeed(fromSeed, scenario)).join('\n'));

  const tally = emptyTally();
  const begun = keep === undefined ? undefined : await openRuns(keep, await codeDigest(), { fromSeed, seeds, times });
  if (begun !== undefined) addTally(tally, begun.tally);
  for (let done = begun?.seeds ?? 0; done < seeds; done += seedsOfPart) {
    const part = { fromSeed: fromSeed + done, seeds: Math.min(seedsOfPart, seeds - done) };
    addTally(tally, await runInThreads(part, workers, scenario, progressAfter(done, scenario)));
    if (keep !== undefined && begun !== undefined) await keepRuns(keep, { ...begun, seeds: done + part.seeds, tally });
  }
  process.stderr.write('\n');
  print(tables(tally));
  if (options.record) recordFigures('npm run simulate', summaryOf(tally, times));
  const found = tally.broken.filter(({ violations }) => violations[0]?.invariant !== runsToItsEnd);
  for (const broken of found.slice(0, mostFindings)) print(await shrunkReport(broken, scenario));
  return tally.broken.length === 0;
}

/** Prints the progress of a part of the runs, and each broken seed. @param done the number of runs before the part */
function progressAfter(done: number, scenario: Scenario): (tally: Tally) => void {
  const startedMs = performance.now();
  const told = new Set<Broken>();
  return ({ runs, launches, broken }) => {
    for (const each of broken.filter((one) => !told.has(one))) {
      told.add(each);
      process.stderr.write(`\n${brokenLine(each, scenario)}\n`);
    }
    const rate = Math.round(launches / ((performance.now() - startedMs) / 1000));
    process.stderr.write(`\r${done + runs} runs, ${rate} launches a second `);
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

try {
  const options = readSimulateArguments(process.argv.slice(2));
  if (options === 'help') print(simulateHelp);
  else if (!(await simulate(options))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

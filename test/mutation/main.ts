/** Mutates the code and checks whether a test fails: `npm run prove -- mutate --help`. */
import { execFileSync } from 'node:child_process';
import { glob } from 'node:fs/promises';
import {
  type Judge,
  type Mutant,
  type Results,
  readResults,
  recordResults,
  resultsOf,
  scoreOf,
  sumOf,
} from '../../scripts/mutation/results.ts';
import { type MutateArguments, mutateHelp, readMutateArguments } from './arguments.ts';
import { findMutants, rangeOf } from './find-mutants.ts';
import { testsOf } from './judge.ts';
import { addNoticed, isRecorded, rangesOfSurvivors, resultsToJudgeAgain } from './recorded-survivors.ts';

/** The judges of what the tests of a file's own folder leave, the fastest first. */
const quickJudges = ['documents', 'unit'] as const;

const options = readMutateArguments(process.argv.slice(2));
if (options === undefined) process.stdout.write(mutateHelp);
else await mutate(options);

async function mutate({ files: globs, concurrency, simulation, survivors, record }: MutateArguments): Promise<void> {
  const startedMs = performance.now();
  const files = await filesOf(globs);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const recorded = survivors ? resultsToJudgeAgain(await readResults(), files) : undefined;
  const mutants = await mutantsOf(files, recorded, concurrency);
  for (const judge of simulation ? ([...quickJudges, 'simulation'] as const) : quickJudges) {
    await judgeAgain(mutants, judge, concurrency);
  }

  const found = resultsOf(files, mutants, commit);
  const results = recorded === undefined ? found : addNoticed(recorded, found);
  for (const [file, result] of Object.entries(results)) {
    for (const { line, original, replacement } of result.survivors) {
      process.stdout.write(`${file}:${line}: ${oneLine(original)} → ${oneLine(replacement)}\n`);
    }
  }
  const sum = sumOf(Object.values(results));
  const minutes = (performance.now() - startedMs) / 60_000;
  const rate = `${Math.round(mutants.length / minutes)} a minute`;
  process.stdout.write(`${scoreOf(sum)} % of ${sum.mutants} mutants are noticed; ${rate}\n`);
  if (record) await recordResults(results);
}

/** Handlers contain composition only: end-to-end tests run them, and no unit test can. */
async function filesOf(globs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob([...globs], { exclude: ['functions/*/handler.ts'] })) found.push(file);
  if (found.length === 0) throw new RangeError(`--files: no file is ${globs.join(' or ')}`);
  return found.sort();
}

/** Finds the mutants of files, or only the recorded survivors, and runs the tests of the files' own folders on them. */
async function mutantsOf(files: string[], recorded: Results | undefined, concurrency: number): Promise<Mutant[]> {
  if (recorded === undefined) return await findMutants(files, testsOf('own', files), concurrency);
  const found = await findMutants(rangesOfSurvivors(recorded), testsOf('own', files), concurrency);
  return found.filter((mutant) => isRecorded(recorded, mutant));
}

/** Runs further tests on the surviving mutants, and records the ones that they kill. */
async function judgeAgain(mutants: readonly Mutant[], judge: Judge, concurrency: number): Promise<void> {
  const left = mutants.filter(({ killedBy }) => killedBy === undefined);
  const judged = await findMutants(left.map(rangeOf), testsOf(judge, []), concurrency);
  const noticed = new Set(judged.filter(({ killedBy }) => killedBy !== undefined).map(keyOf));
  for (const mutant of left) if (noticed.has(keyOf(mutant))) mutant.killedBy = judge;
}

function keyOf(mutant: Mutant): string {
  return `${rangeOf(mutant)} ${mutant.replacement}`;
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ');
}

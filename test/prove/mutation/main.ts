/** Mutates the code and checks whether a test fails: `npm run prove -- mutate --help`. */
import { glob } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keepRows, takenNow } from '../../../scripts/kept-rows.ts';
import { type MutateArguments, mutateHelp, readMutateArguments } from './arguments.ts';
import { findMutants, rangeOf } from './find-mutants.ts';
import { testsOf } from './judge.ts';
import { resultsTable, rowsOf } from './page.ts';
import { reasonFor } from './reasons.ts';
import { countsOf, type Judge, type Mutant, scoreOf } from './results.ts';

/** The judges of what the tests of a file's own folder leave, the fastest first. */
const quickJudges = ['documents', 'unit'] as const;

const options = readMutateArguments(process.argv.slice(2));
if (options === undefined) process.stdout.write(mutateHelp);
else await mutate(options);

async function mutate({ files: globs, concurrency, simulation, record }: MutateArguments): Promise<void> {
  const startedMs = performance.now();
  const files = await filesOf(globs);
  if (record) await expectWholeFolders(files);
  const mutants = await findMutants(files, testsOf('own', files), concurrency);
  for (const judge of simulation ? ([...quickJudges, 'simulation'] as const) : quickJudges) {
    await judgeAgain(mutants, judge, concurrency);
  }

  for (const survivor of mutants.filter(({ killedBy }) => killedBy === undefined)) {
    const { file, line, original, replacement } = survivor;
    const reason = reasonFor(survivor);
    if (reason === undefined) process.exitCode = 1;
    process.stdout.write(
      `${file}:${line}: ${oneLine(original)} → ${oneLine(replacement)}: ${reason ?? 'a test is missing'}\n`,
    );
  }
  const counts = countsOf(mutants);
  const minutes = (performance.now() - startedMs) / 60_000;
  const rate = `${Math.round(mutants.length / minutes)} a minute`;
  process.stdout.write(`${scoreOf(counts)} % of ${counts.mutants} mutants are noticed; ${rate}\n`);
  if (record) keepRows('mutation.md', resultsTable, rowsOf(mutants, takenNow()));
}

/** Handlers contain composition only: end-to-end tests run them, and no unit test can. */
async function filesOf(globs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob([...globs], { exclude: ['functions/*/handler.ts'] })) found.push(file);
  if (found.length === 0) throw new RangeError(`--files: no file is ${globs.join(' or ')}`);
  return found.sort();
}

/** A row of the page is about all files of a folder. */
async function expectWholeFolders(files: readonly string[]): Promise<void> {
  const folders = [...new Set(files.map((file) => dirname(file)))];
  const left = (await filesOf(folders.map((folder) => `${folder}/*.ts`))).filter((file) => !files.includes(file));
  if (left.length > 0)
    throw new RangeError(`--record: the page has whole folders, and --files leaves out ${left.join(', ')}`);
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

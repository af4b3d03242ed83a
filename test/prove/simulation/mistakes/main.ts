/** Puts one protocol mistake at a time into a copy of the tree, and shows which judges see it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { readArguments } from '../../../../local/read-arguments.ts';
import { recordFigures } from '../../../../scripts/proof/last-figures.ts';
import { applyMistake } from './apply-mistake.ts';
import { type FoundMistake, judgesOf, mistakesSummary, mistakesTable, Sightings } from './found-mistakes.ts';
import { type Mistake, mistakes } from './mistakes.ts';

const help = `npm run prove -- mistakes [options]

Puts one protocol mistake at a time into a copy of the sources, runs the simulation there, and shows which judges of its
worlds see it: the simulation's invariants, the trace checker (davit verify-trace) and the checker of jobs' histories
(davit verify-jobs). Names the broken variant of the model that is the same mistake, and runs the unit tests of the functions
concerned. Changes nothing here. Exit code 1 if fewer than two of the simulation, the checkers and a model see a mistake.

  --seeds N     how many simulated worlds each mistake gets (default 1000)
  --only NAME   try only this mistake; may be repeated
  --no-units    run no unit tests
  --record      write how many mistakes each judge sees into docs/proof.md
  --help        this text
`;

const root = join(import.meta.dirname, '../../../..');
/** Folders that the copy leaves out: builds, such as Kubernetes', and what other commands write meanwhile. */
const isLeftOut = /^(node_modules|dist|cdk\.out|coverage|\.(git|venv|stryker-tmp|aws-programs|davit.*))$/;

/** Runs a program in the copy. @throws Error when it did not start, or a signal ended it */
function run(copy: string, args: string[]): { stdout: string; stderr: string; status: number } {
  const { error, stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined) throw error;
  if (status === null) throw new Error(`a signal ended node ${args.join(' ')}`);
  return { stdout, stderr, status };
}

function seenInWorlds(copy: string, seeds: number, { name }: Mistake): z.infer<typeof Sightings> {
  const program = 'test/prove/simulation/mistakes/find-evidence.ts';
  const { stdout, stderr, status } = run(copy, [program, String(seeds), name]);
  if (status !== 0) throw new Error(`the simulation did not run: ${stderr}`);
  return Sightings.parse(JSON.parse(stdout));
}

const Report = z.object({ numTotalTests: z.number(), numFailedTests: z.number() });

/** @returns how many unit tests fail */
function failedUnits(copy: string, { file, tests = [`test/unit/${dirname(file)}`] }: Mistake): number {
  const output = join(copy, 'units.json');
  const { stderr } = run(copy, ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, ...tests]);
  const { numTotalTests, numFailedTests } = Report.parse(JSON.parse(readFileSync(output, 'utf8')));
  if (numTotalTests === 0) throw new Error(`no unit test ran: ${stderr}`);
  return numFailedTests;
}

function tryMistake(mistake: Mistake, seeds: number, isWithUnits: boolean): FoundMistake {
  const { name, of, model } = mistake;
  const text = applyMistake(mistake, readFileSync(join(root, mistake.file), 'utf8'));
  const copy = mkdtempSync(join(tmpdir(), 'davit-mistake-'));
  try {
    cpSync(root, copy, { recursive: true, filter: (from) => !isLeftOut.test(relative(root, from)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(copy, mistake.file), text);
    const seen = seenInWorlds(copy, seeds, mistake);
    return { name, of, model, ...seen, units: isWithUnits ? failedUnits(copy, mistake) : undefined };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const Arguments = z
  .object({
    seeds: z.coerce.number('expected a number').int().min(1).default(1000),
    only: z.array(z.enum(mistakes.map(({ name }) => name))).optional(),
    'no-units': z.boolean().default(false),
    record: z.boolean().default(false),
  })
  .refine(({ record, only }) => !record || only === undefined, {
    path: ['record'],
    error: 'it is for all mistakes, and not for --only',
  });
const options = readArguments(process.argv.slice(2), Arguments);
if (options === 'help') process.stdout.write(help);
else {
  const { seeds, only, record } = options;
  const chosen = mistakes.filter(({ name }) => only === undefined || only.includes(name));
  const found: FoundMistake[] = [];
  for (const mistake of chosen) {
    process.stderr.write(`${mistake.name}: ${mistake.harm}\n`);
    found.push(tryMistake(mistake, seeds, !options['no-units']));
  }
  const summary = mistakesSummary(found, seeds);
  process.stdout.write(`${mistakesTable(found)}\n\n${summary}\n`);
  if (record) recordFigures('npm run prove -- mistakes', summary);
  if (found.some((mistake) => judgesOf(mistake) < 2)) process.exitCode = 1;
}

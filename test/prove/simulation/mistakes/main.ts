/** Puts one protocol mistake at a time into a copy of the tree, and shows which judges see it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import {
  type FoundMistake,
  type Judge,
  judges,
  judgesOf,
  mistakesFile,
  mistakesTable,
  readFoundMistakes,
  Sightings,
} from '../../../../scripts/proof/found-mistakes.ts';
import { applyMistake } from './apply-mistake.ts';
import { type Mistake, mistakes } from './mistakes.ts';

const help = `npm run prove -- mistakes [options]

Puts one protocol mistake at a time into a copy of the sources, runs the simulation there, and shows which judges of its
worlds see it: the simulation's invariants, the trace checker (davit verify-trace) and the checker of jobs' histories
(davit verify-jobs). Names the broken variant of the model that is the same mistake, and runs the unit tests of the functions
concerned. Changes nothing here. Exit code 1 if no judge sees a mistake that one has seen in docs/proof.md.

  --seeds N     how many simulated worlds each mistake gets (default 1000)
  --only NAME   try only this mistake; may be repeated
  --judge NAME  look only for what simulation, trace or history sees, until it has seen it; may be repeated; none: look
                into no world
  --no-units    run no unit tests
  --write       keep the results in scripts/proof/mistakes.json: npm run docs puts them into docs/proof.md. What was not
                tried stays as it was kept
  --help        this text
`;

const root = join(import.meta.dirname, '../../../..');
/** What the copy does without; `.davit-cluster` has whole builds of Kubernetes. */
const unlinked = new Set(['node_modules', '.git', '.davit-cluster']);

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

function seenInWorlds(copy: string, seeds: number, { name }: Mistake, wanted: readonly Judge[]): Sightings {
  const program = 'test/prove/simulation/mistakes/find-evidence.ts';
  const { stdout, stderr, status } = run(copy, [program, String(seeds), name, ...wanted]);
  if (status !== 0) throw new Error(`the simulation did not run: ${stderr}`);
  return Sightings.parse(JSON.parse(stdout));
}

const Report = z.object({
  numTotalTests: z.number(),
  numFailedTests: z.number(),
});

/** @returns how many unit tests fail */
function failedUnits(copy: string, { tests }: Mistake): number {
  const output = join(copy, 'units.json');
  const { stderr } = run(copy, ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, ...tests]);
  const { numTotalTests, numFailedTests } = Report.parse(JSON.parse(readFileSync(output, 'utf8')));
  if (numTotalTests === 0) throw new Error(`no unit test ran: ${stderr}`);
  return numFailedTests;
}

/** How a mistake is tried. */
interface Trial {
  seeds: number;
  wanted: readonly Judge[];
  units: boolean;
  /** What was found before. */
  kept: FoundMistake | undefined;
}

function tryMistake(mistake: Mistake, { seeds, wanted, units, kept }: Trial): FoundMistake {
  const { name, of, harm, model } = mistake;
  const text = applyMistake(mistake, readFileSync(join(root, mistake.file), 'utf8'));
  const copy = mkdtempSync(join(tmpdir(), 'davit-mistake-'));
  try {
    cpSync(root, copy, { recursive: true, filter: (from) => !unlinked.has(relative(root, from)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(copy, mistake.file), text);
    const seen = wanted.length === 0 ? {} : seenInWorlds(copy, seeds, mistake, wanted);
    const known = Object.fromEntries(judges.flatMap((each) => (wanted.includes(each) ? [] : [[each, kept?.[each]]])));
    const failed = units ? failedUnits(copy, mistake) : kept?.units;
    return { name, of, harm, model, ...known, ...seen, units: failed };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    only: { type: 'string', multiple: true },
    judge: { type: 'string', multiple: true, default: [...judges] },
    'no-units': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else {
  const { only } = values;
  const seeds = z.coerce.number().int().min(1).parse(values.seeds);
  const wanted = z.array(z.enum([...judges, 'none'])).parse(values.judge);
  const chosen = mistakes.filter(({ name }) => only === undefined || only.includes(name));
  const unknown = only?.find((name) => !chosen.some((mistake) => mistake.name === name));
  if (unknown !== undefined) throw new Error(`--only: there is no mistake called ${unknown}`);
  const before = readFoundMistakes();
  const isWhole = only === undefined && judges.every((each) => wanted.includes(each));
  if (values.write && !isWhole && seeds !== before.seeds)
    throw new Error(`--write: what stays was found in ${before.seeds} worlds each, and not in ${seeds}`);
  const found: FoundMistake[] = [];
  for (const mistake of chosen) {
    process.stderr.write(`${mistake.name} …\n`);
    const kept = before.found.find(({ name }) => name === mistake.name);
    const units = !values['no-units'];
    found.push(tryMistake(mistake, { seeds, wanted: judges.filter((each) => wanted.includes(each)), units, kept }));
  }
  process.stdout.write(`${mistakesTable({ seeds, found })}\n`);
  const known = new Map(before.found.map((mistake) => [mistake.name, judgesOf(mistake)]));
  if (found.some((mistake) => judgesOf(mistake) === 0 && (known.get(mistake.name) ?? 0) > 0)) process.exitCode = 1;
  if (values.write) {
    const newest = new Map([...before.found, ...found].map((mistake) => [mistake.name, mistake]));
    const all = mistakes.flatMap(({ name }) => newest.get(name) ?? []);
    writeFileSync(mistakesFile, `${JSON.stringify({ seeds, found: all }, undefined, 2)}\n`);
  }
}

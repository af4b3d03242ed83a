/** Puts one protocol mistake at a time into a copy of the tree, and shows what sees it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { applyMistake } from './apply-mistake.ts';
import { type Mistake, mistakes } from './mistakes.ts';

const help = `npm run prove -- mistakes [options]

Puts one protocol mistake at a time into a copy of the sources, runs the simulation and the unit tests of the functions
concerned there, and prints which of them see it. It changes nothing here.

  --seeds N     how many simulated worlds each mistake gets (default 1000)
  --only NAME   try only this mistake
  --no-units    run the simulation only
  --help        this text
`;

const root = join(import.meta.dirname, '../../..');
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

function seenBySimulation(copy: string, seeds: number, { of }: Mistake): string {
  const { stdout, stderr, status } = run(copy, ['test/simulation/mistakes/first-broken.ts', String(seeds), of]);
  if (status !== 0) throw new Error(`the simulation did not run: ${stderr}`);
  return stdout === '' ? '-' : stdout;
}

const Report = z.object({
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({ name: z.string(), assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) }),
  ),
});

function seenByUnitTests(copy: string, { tests }: Mistake): string {
  const output = join(copy, 'units.json');
  const { stderr } = run(copy, ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, ...tests]);
  const { numTotalTests, testResults } = Report.parse(JSON.parse(readFileSync(output, 'utf8')));
  if (numTotalTests === 0) throw new Error(`no unit test ran: ${stderr}`);
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${relative(copy, name)}: ${fullName}`),
  );
  return failed.length === 0 ? '-' : `${failed[0]}${failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''}`;
}

function tryMistake(mistake: Mistake, seeds: number, units: boolean): [string, string] {
  const text = applyMistake(mistake, readFileSync(join(root, mistake.file), 'utf8'));
  const copy = mkdtempSync(join(tmpdir(), 'davit-mistake-'));
  try {
    cpSync(root, copy, { recursive: true, filter: (from) => !unlinked.has(relative(root, from)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(copy, mistake.file), text);
    return [seenBySimulation(copy, seeds, mistake), units ? seenByUnitTests(copy, mistake) : 'not run'];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    only: { type: 'string' },
    'no-units': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else {
  const seeds = z.coerce.number().int().min(1).parse(values.seeds);
  const chosen = mistakes.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`--only: there is no mistake called ${values.only}`);
  process.stdout.write('| Mistake | Of | Simulation | Unit test |\n|---|---|---|---|\n');
  let seen = 0;
  for (const mistake of chosen) {
    const [simulation, unit] = tryMistake(mistake, seeds, !values['no-units']);
    if (simulation !== '-') seen += 1;
    process.stdout.write(`| ${mistake.name} | ${mistake.of} | ${simulation} | ${unit} |\n`);
  }
  process.stdout.write(`\nThe simulation saw ${seen} of ${chosen.length} in ${seeds} seeds.\n`);
}

/** Sends inputs to every door of davit, or to one: `npm run fuzz -- --help`. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { CounterExample } from '../test/fuzz/door.ts';
import { doors } from '../test/fuzz/doors.ts';
import { type PlannedBatch, planBatches } from '../test/fuzz/plan-batches.ts';
import { runBatches } from '../test/fuzz/run-batches.ts';
import { addBatch, newTally, type Tally, tableOf } from '../test/fuzz/tally.ts';

const help = `npm run fuzz -- [options]

Sends inputs to every door of davit, and prints what came of it. Exit code 1 if a property did not hold at one of them;
the smallest input found for it is printed, with the command that sends it again.

  --inputs N   how many, over all doors       (default 100000)
  --seed S     what the inputs are made from  (default: another one each time)
  --door NAME  one door alone
  --path P     of a counter-example: that one input, with its seed and its door
  --write      writes docs/fuzz.md
  --help

Doors:
${doors.map(({ name, about }) => `  ${name.padEnd(14)}${about}\n`).join('')}`;

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    door: { type: 'string' },
    path: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** @throws RangeError naming the option */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new RangeError(`--${option}: expected a whole number from 1, found ${text}`);
}

function plan(seed: number): PlannedBatch[] {
  const { door, path } = values;
  const chosen = doors.filter(({ name }) => door === undefined || name === door);
  if (chosen.length === 0) throw new RangeError(`--door: expected one of ${doors.map(({ name }) => name).join(', ')}`);
  if (path === undefined) return planBatches(chosen, wholeNumber('inputs', values.inputs), seed);
  return chosen.map(({ name }) => ({ door: name, seed, inputs: 1, path }));
}

function report(door: string, { seed, path, input, says }: CounterExample): string {
  const replay = `npm run fuzz -- --door '${door}' --seed ${seed} --path ${path}`;
  return `\n✗ ${door}: ${says}\n\nThe input:\n${input}\n\nSends it again:\n    ${replay}\n`;
}

async function fuzz(): Promise<void> {
  const seed = wholeNumber('seed', values.seed);
  const batches = plan(seed);
  const inputs = batches.reduce((sum, batch) => sum + batch.inputs, 0);
  const tallies = new Map<string, Tally>(batches.map(({ door }) => [door, newTally(door)]));
  const startedMs = performance.now();
  const tookSeconds = () => ((performance.now() - startedMs) / 1000).toFixed(0);
  let done = 0;
  await runBatches(batches, (batch, result, tookMs) => {
    const tally = tallies.get(batch.door);
    if (tally !== undefined) addBatch(tally, result, tookMs);
    done += result.inputs;
    process.stderr.write(`${tookSeconds().padStart(5)} s ${String(done).padStart(9)} of ${inputs}  ${batch.door}\n`);
    if (result.failure) process.stdout.write(report(batch.door, result.failure));
  });
  const table = tableOf([...tallies.values()]);
  process.stdout.write(`\nseed ${seed}, ${tookSeconds()} s\n\n${table}`);
  if ([...tallies.values()].some(({ failures }) => failures.length > 0)) process.exitCode = 1;
  if (values.write) await writeFile(new URL('../docs/fuzz.md', import.meta.url), fuzzDocs(seed, tookSeconds(), table));
}

function fuzzDocs(seed: number, tookSeconds: string, table: string): string {
  const abouts = doors.map(({ name, about }) => `- **${name}**: ${about}.\n`).join('');
  return `# Fuzzing

<!-- Written by scripts/fuzz.ts --write. -->

Every way into davit is sent inputs that are nearly right, and some that are nothing at all. For each of them:

- Nothing crashes or hangs, and no rejection goes unhandled.
- Nothing is answered 5xx but an agent that is to ask again, and nothing gets an error without a family.
- Nobody is let in, and nothing is changed, without a valid signature or credential; who is let in is worked out a
  second time, by other code than davit's.
- An error is a documented problem (RFC 9457), or names the file and the path.
- No secret comes out, in an answer, an error or the log.

That this can fail is shown by \`test/fuzz/mutants.test.ts\`: davits with one check of a door’s taken out, each found out.

${abouts}
## The last run

    npm run fuzz -- --inputs ${values.inputs} --seed ${seed}

${tookSeconds} s:

${table}`;
}

if (values.help) process.stdout.write(help);
else await fuzz();

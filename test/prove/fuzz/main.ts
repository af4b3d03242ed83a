/** Sends inputs to all doors of davit, or to one: `npm run prove -- fuzz --help`. */
import { writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';
import type { CounterExample } from './door.ts';
import { doors } from './doors.ts';
import { findMutants } from './mutants/find-mutants.ts';
import { type PlannedBatch, planBatches } from './plan-batches.ts';
import { runBatches } from './run-batches.ts';
import { addBatch, newTally, type Tally, tableOf } from './tally.ts';

const help = `npm run prove -- fuzz [options]

Sends inputs to every door of davit, and prints the results. If a property does not hold, prints the smallest input that
violates it, with the command that sends it again. The exit code is then 1.

  --inputs N   the number of inputs, over all doors  (default 100000)
  --seed S     the seed of the inputs                (default: a new one each time)
  --door NAME  only this door
  --path P     only the counter-example with this path; needs its seed and its door
  --mutants    removes one check of a door at a time instead, and checks that the fuzzer finds each
  --write      writes docs/fuzz.md
  --help

Doors:
${doors.map(({ name, description }) => `  ${name.padEnd(14)}${description}\n`).join('')}`;

const whole = z.coerce.number('expected a whole number').int().min(1);
const Arguments = z.object({
  inputs: whole.default(100_000),
  seed: whole.default(() => Date.now() % 1_000_000_000),
  door: z.enum(doors.map(({ name }) => name)).optional(),
  path: z.string().optional(),
  mutants: z.boolean().default(false),
  write: z.boolean().default(false),
});
type Arguments = z.infer<typeof Arguments>;

function plan({ inputs, seed, door, path }: Arguments): PlannedBatch[] {
  const chosen = doors.filter(({ name }) => door === undefined || name === door);
  if (path === undefined) return planBatches(chosen, inputs, seed);
  return chosen.map(({ name }) => ({ door: name, seed, inputs: 1, path }));
}

function report(door: string, { seed, path, input, detail }: CounterExample): string {
  const replay = `npm run prove -- fuzz --door '${door}' --seed ${seed} --path ${path}`;
  return `\n✗ ${door}: ${detail}\n\nThe input:\n${input}\n\nSends it again:\n    ${replay}\n`;
}

async function fuzz(given: Arguments): Promise<void> {
  const { seed, write } = given;
  const batches = plan(given);
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
  if (write) await writeFile(new URL('../../../docs/fuzz.md', import.meta.url), fuzzDocs(given, tookSeconds(), table));
}

function fuzzDocs({ inputs, seed }: Arguments, tookSeconds: string, table: string): string {
  const descriptions = doors.map(({ name, description }) => `- **${name}**: ${description}.\n`).join('');
  return `# Fuzzing

<!-- Written by test/prove/fuzz/main.ts --write. -->

The fuzzer sends almost correct input, and complete nonsense, to every entry point (a *door*) of davit. After each input:

- Nothing crashes or hangs, and no rejection is unhandled.
- Only an agent that must ask again gets a 5xx, and every error has a family.
- Without a valid signature or credential, nothing gets in and nothing changes. Code that is not davit's decides
  independently what must get in.
- An error is a documented problem (RFC 9457), or names the file and the path.
- No answer, error or log line contains a secret.

\`npm run prove -- fuzz --mutants\` shows that this can fail: it removes one check of an entry point at a time, and the fuzzer finds each.

${descriptions}
## The last run

    npm run prove -- fuzz --inputs ${inputs} --seed ${seed}

${tookSeconds} s:

${table}`;
}

async function fuzzMutants(): Promise<void> {
  const missed = await findMutants(({ door, name }, missedBecause) => {
    const outcome = missedBecause === undefined ? '✓' : `✗ ${missedBecause}:`;
    process.stdout.write(`${outcome} at the door ${door}: ${name}\n`);
  });
  if (missed > 0) process.exitCode = 1;
}

const options = readArguments(process.argv.slice(2), Arguments, { short: 'h' });
if (options === 'help') process.stdout.write(help);
else if (options.mutants) await fuzzMutants();
else await fuzz(options);

/** Fuzzes one door of a davit whose source is changed on loading, and prints the result as JSON. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { BatchResult } from '../door.ts';
import { doors } from '../doors.ts';
import { mutants } from './mutants.ts';

const [name, seed, inputs] = process.argv.slice(2);
const mutant = mutants.find((candidate) => candidate.name === name);
if (mutant === undefined) throw new RangeError(`there is no mutant ${name}`);
const { file, from, to } = mutant;
const mutated = new URL(`../../../../${file}`, import.meta.url).href;
let changes = 0;

registerHooks({
  load: (url, context, next) => {
    if (url !== mutated) return next(url, context);
    const parts = readFileSync(fileURLToPath(url), 'utf8').split(from);
    changes = parts.length - 1;
    return { format: 'module-typescript', source: parts.join(to), shortCircuit: true };
  },
});

const door = doors.find((candidate) => candidate.name === mutant.door);
if (door === undefined) throw new RangeError(`there is no door ${mutant.door}`);
await using open = await door.open();
const result: BatchResult = await open.run({ seed: Number(seed), inputs: Number(inputs) });
process.stdout.write(JSON.stringify({ changes, detail: result.failure?.detail ?? null }));

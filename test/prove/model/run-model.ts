/** Checks the protocol's model with spin, and refutes each broken variant of it: `npm run prove -- model --help`. */
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';
import { keepRows, takenNow } from '../../../scripts/kept-rows.ts';
import { brokenVariants, type Model, modelOf, models } from './checks.ts';
import { isRight, type Judged, propertyTable, tableOf } from './report.ts';
import { resultsTable, rowOf, searches } from './results.ts';
import { missingPrograms, search } from './spin.ts';

const help = `npm run prove -- model [options]

Searches all states of davit's protocols, test/prove/model/*.pml, for one that violates an invariant. The same search must find
one in each of ${brokenVariants.length} broken variants. Takes some twenty minutes and up to 4 GB on two processors. Exit code 1 if an
invariant does not hold, or a broken variant passes; 2 without spin and gcc.

  --model NAME  searches this model only, such as queue.pml; may be repeated
  --quick       skips the longest searches
  --record      writes a row for each model into docs/model.md
  --help        this text
`;

/** Each search takes up to 2 GB. */
const atOnce = Math.min(2, availableParallelism());

const Arguments = z.object({
  model: z.array(z.enum(models)).default([...models]),
  quick: z.boolean().default(false),
  record: z.boolean().default(false),
});

const options = readArguments(process.argv.slice(2), Arguments);
if (options === 'help') {
  process.stdout.write(help);
} else if (options.quick && options.record) {
  process.stderr.write('docs/model.md has every search: --record does not go with --quick\n');
  process.exitCode = 2;
} else {
  await checkModel(options);
}

async function checkModel({ model: chosen, quick, record: isRecorded }: z.infer<typeof Arguments>): Promise<void> {
  const missing = await missingPrograms();
  if (missing.length > 0) {
    const problem = `the model was not checked: there is no ${missing.join(' and no ')}`;
    process.stderr.write(`${problem} (Debian: apt-get install spin gcc libc6-dev)\n`);
    process.exitCode = 2;
    return;
  }
  const judged = await searchAll(chosen, quick);
  process.stdout.write(`${propertyTable()}\n\n${tableOf(judged)}\n`);
  if (!judged.every(isRight)) process.exitCode = 1;
  else if (isRecorded) await record(chosen, judged);
}

async function record(chosen: readonly Model[], judged: readonly Judged[]): Promise<void> {
  const taken = takenNow();
  const rows = await Promise.all(chosen.map((model) => rowOf(model, judged, taken)));
  keepRows('model.md', resultsTable, rows);
}

/** @returns the results in the order of `searches` */
async function searchAll(chosen: readonly Model[], isQuick: boolean): Promise<Judged[]> {
  const planned = searches
    .filter(({ check }) => chosen.includes(modelOf(check)))
    .filter(({ check: { long } }) => !(isQuick && long));
  const judged: Judged[] = [];
  const waiting = planned.entries();
  const searcher = async () => {
    for (const [position, { check, refutes }] of waiting) {
      const found = await search(check);
      judged[position] = { check, found, refutes };
      process.stderr.write(`${found.seconds.toFixed(1).padStart(6)} s  ${check.title}\n`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, searcher));
  return judged;
}

/** Checks the protocol's model with spin, and refutes each broken variant of it: `npm run prove -- model --help`. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { brokenVariants, modelOf, models } from './checks.ts';
import { isRight, type Judged, propertyTable, tableOf } from './report.ts';
import { judgedOf, outdatedModels, type Results, readResults, resultsFile, searches, withSearched } from './results.ts';
import { missingPrograms, search } from './spin.ts';

const help = `npm run prove -- model [options]

Searches all states of davit's protocols, test/prove/model/*.pml, for one that violates an invariant. The same search must find
one in each of ${brokenVariants.length} broken variants. Takes two to three minutes and up to 4 GB on two processors. Exit code 1 if an
invariant does not hold, or a broken variant passes; 2 without spin and gcc.

  --model NAME  searches this model only, such as queue.pml; may be repeated
  --quick       skips the longest searches; npm test fails when docs/model.md has their results for other models
  --write       writes docs/model.md, and keeps the results in test/prove/model/results.json: with --model, the results of the
                other models stay, which must not have changed
  --help        this text
`;

/** Each search takes up to 2 GB. */
const atOnce = Math.min(2, availableParallelism());

const { values } = parseArgs({
  options: {
    model: { type: 'string', multiple: true, default: [...models] },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
} else if (values.quick && values.write) {
  process.stderr.write('docs/model.md has every search: --write does not go with --quick\n');
  process.exitCode = 2;
} else {
  await checkModel();
}

async function checkModel(): Promise<void> {
  const chosen = z.array(z.enum(models)).parse(values.model);
  const missing = await missingPrograms();
  if (missing.length > 0) {
    const problem = `the model was not checked: there is no ${missing.join(' and no ')}`;
    process.stderr.write(`${problem} (Debian: apt-get install spin gcc libc6-dev)\n`);
    process.exitCode = 2;
    return;
  }
  const judged = await searchAll(chosen);
  process.stdout.write(`${propertyTable()}\n\n${tableOf(judged)}\n`);
  if (!judged.every(isRight)) process.exitCode = 1;
  else if (values.write) await write(await withSearched(readResults(), chosen, judged));
}

/** @throws Error when results are those of an older model */
async function write(results: Results): Promise<void> {
  const outdated = await outdatedModels(results);
  if (outdated.length > 0) throw new Error(`there are only old results of ${outdated.join(', ')}: search them, too`);
  await writeFile(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(new URL('../../../docs/model.md', import.meta.url), modelDocs(results));
}

/** @returns the results in the document's order */
async function searchAll(chosen: readonly string[]): Promise<Judged[]> {
  const planned = searches
    .filter(({ check }) => chosen.includes(modelOf(check)))
    .filter(({ check: { long } }) => !(values.quick && long));
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

function modelDocs(results: Results): string {
  const fingerprints = models.map((model) => `\`${model}\` \`${results[model]?.fingerprint}\``).join(', ');
  return `# Proof by a model

<!-- Written by \`npm run prove -- model --write\`: run it again rather than change it here. -->

Eight descriptions in Promela, \`test/prove/model/\`:

- \`launch.pml\`: how a launch begins, is repeated and ends, with two generations.
- \`clusters.pml\`: how a launch moves to a second cluster, while the first comes and goes, and requests to it take effect
  late.
- \`queue.pml\`: how agents register in a CI system, run jobs that cross, and are retired.
- \`connect.pml\`: how davit answers an agent whose launch may end meanwhile.
- \`connection.pml\`: what davit says of a cluster that freezes and comes back.
- \`lists.pml\`: how davit reads a list, page by page, whose things go meanwhile.
- \`reruns.pml\`: how davit has a lost job run again.
- \`barrier.pml\`: how davit retires an agent whose CI system takes its time to hand out a job: barrier, wait, look, remove.
- \`standby.pml\`: how agents stand by for jobs that cross.

The header of each maps its steps to the code, and lists what it leaves out. spin explores every order in which the webhooks,
the execution, clean-ups, sweeps, agents, clusters and the CI system can run, with a crash anywhere. No search is an
approximation: spin stored each state, and finished.

The simulation (\`docs/proof.md\`) runs the real code in some of its possible orders. The model runs an abstraction of it in
all of them.

${propertyTable()}

    npm run prove -- model

These are the results for the models and their searches with these fingerprints: ${fingerprints}.

${tableOf(judgedOf(results))}
`;
}

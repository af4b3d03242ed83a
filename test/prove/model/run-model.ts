/** Checks the protocol's model with spin, and refutes each broken variant of it: `npm run prove -- model --help`. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { brokenVariants, checks } from './checks.ts';
import { fingerprintOfModels } from './fingerprint.ts';
import { isRight, type Judged, propertyTable, tableOf } from './report.ts';
import { missingPrograms, search } from './spin.ts';

const help = `npm run prove -- model [options]

Searches all states of davit's protocols, test/prove/model/*.pml, for one that violates an invariant. The same search must find
one in each of ${brokenVariants.length} broken variants. Takes two to three minutes and up to 4 GB on two processors. Exit code 1 if an
invariant does not hold, or a broken variant passes; 2 without spin and gcc.

  --quick  skips the longest searches; npm test fails when docs/model.md has their results for other models
  --write  writes docs/model.md
  --help   this text
`;

/** Each search takes up to 2 GB. */
const atOnce = Math.min(2, availableParallelism());

const { values } = parseArgs({
  options: {
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
  const missing = await missingPrograms();
  if (missing.length > 0) {
    const problem = `the model was not checked: there is no ${missing.join(' and no ')}`;
    process.stderr.write(`${problem} (Debian: apt-get install spin gcc libc6-dev)\n`);
    process.exitCode = 2;
    return;
  }
  const judged = await searchAll();
  const table = tableOf(judged);
  process.stdout.write(`${propertyTable()}\n\n${table}\n`);
  if (!judged.every(isRight)) process.exitCode = 1;
  else if (values.write) {
    await writeFile(new URL('../../../docs/model.md', import.meta.url), modelDocs(table, await fingerprintOfModels()));
  }
}

/** @returns the results in the document's order */
async function searchAll(): Promise<Judged[]> {
  const planned = [
    ...checks.filter(({ long }) => !(values.quick && long)).map((check) => ({ check, refutes: undefined })),
    ...brokenVariants.map((check) => ({ check, refutes: check.refutes })),
  ];
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

function modelDocs(table: string, fingerprint: string): string {
  return `# Proof by a model

<!-- Written by \`npm run prove -- model --write\`: run it again rather than change it here. -->

Three descriptions in Promela, \`test/prove/model/\`:

- \`launch.pml\`: how a launch begins, is repeated and ends, with two generations.
- \`clusters.pml\`: how a launch moves to a second cluster, while the first comes and goes, and requests to it take effect
  late.
- \`queue.pml\`: how agents register in a CI system, run jobs that cross, and are retired.

The header of each maps its steps to the code, and lists what it leaves out. spin explores every order in which the webhooks,
the execution, clean-ups, sweeps, agents, clusters and the CI system can run, with a crash anywhere. No search is an
approximation: spin stored each state, and finished.

The simulation (\`docs/proof.md\`) runs the real code in some of its possible orders. The model runs an abstraction of it in
all of them.

${propertyTable()}

    npm run prove -- model

These are the results for the models and searches with the fingerprint \`${fingerprint}\`.

${table}
`;
}

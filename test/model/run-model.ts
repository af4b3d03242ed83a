/** Has spin check the protocol's model, and refute it broken in each known way: `npm run test:model -- --help`. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { brokenVariants, checks } from './checks.ts';
import { isRight, type Judged, propertyTable, tableOf } from './report.ts';
import { missingPrograms, search } from './spin.ts';

const help = `npm run test:model -- [options]

Searches all states of the launch's protocol, test/model/launch.pml, for one in which an invariant does not hold, and
has the same search find one in each of ${brokenVariants.length} protocols with one thing wrong. Takes two to three minutes and up to 4 GB
on two processors. Exit code 1 if an invariant does not hold, or something wrong was not found; 2 without spin and gcc.

  --write  writes docs/model.md
  --help   this text
`;

/** Each search takes up to 2 GB. */
const atOnce = Math.min(2, availableParallelism());

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) process.stdout.write(help);
else await checkModel();

async function checkModel(): Promise<void> {
  const missing = await missingPrograms();
  if (missing.length > 0) {
    const says = `the model was not checked: there is no ${missing.join(' and no ')}`;
    process.stderr.write(`${says} (Debian: apt-get install spin gcc libc6-dev)\n`);
    process.exitCode = 2;
    return;
  }
  const judged = await searchAll();
  const table = tableOf(judged);
  process.stdout.write(`${propertyTable()}\n\n${table}\n`);
  if (!judged.every(isRight)) process.exitCode = 1;
  else if (values.write) await writeFile(new URL('../../docs/model.md', import.meta.url), modelDocs(table));
}

/** @returns in the order in which they are written down */
async function searchAll(): Promise<Judged[]> {
  const planned = [
    ...checks.map((check) => ({ check, refutes: undefined })),
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

function modelDocs(table: string): string {
  return `# Proof by a model

<!-- Written by \`npm run test:model -- --write\`: run it again rather than change it here. -->

The protocol by which a launch begins, is tried again and ends, in Promela: \`test/model/launch.pml\`. Its header has the
map from each of its steps to the code, and what it leaves out. spin goes through every order in which the webhooks, the
execution, clean-ups, sweeps, agents and the cluster can run, with two generations and a crash anywhere. None of the
searches is an approximation: each state was stored, and the search ended by itself.

The simulation (\`docs/proof.md\`) runs the real code, in some of its orders; this runs an abstraction of it, in all.

${propertyTable()}

    npm run test:model

${table}
`;
}

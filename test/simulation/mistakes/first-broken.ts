/** Prints the first seed, each third one of a mixed world, that breaks an invariant: `node first-broken.ts SEEDS`, in a tree with a mistake. */
import { runSeeds } from '../../../simulation/run-seeds.ts';

Error.stackTraceLimit = 0;
const seeds = Number(process.argv[2]);
for (let seed = 1; seed <= seeds; seed += 1) {
  const isMixed = seed % 3 === 0;
  const { broken } = await runSeeds({ fromSeed: seed, seeds: 1 }, { isMixed });
  const violation = broken[0]?.violations[0];
  if (violation === undefined) continue;
  process.stdout.write(`seed ${seed}${isMixed ? ' --mixed' : ''}: ${violation.invariant}`);
  break;
}

/**
 * Prints the first seed, each third one of a mixed world, that breaks an invariant. Looks only at worlds in which a
 * mistake of this kind may show: `node first-broken.ts SEEDS AREA`, in a tree with a mistake.
 */
import { runSeeds } from '../../../simulation/run-seeds.ts';
import { themeOf } from '../../../simulation/world/themes.ts';

Error.stackTraceLimit = 0;
const [, , count, area = ''] = process.argv;
const seeds = Number(count);
const ofQueues = new Set(['registration', 'retire', 'limits', 'warm', 'reconcile']);
let tried = 0;
for (let seed = 1; tried < seeds; seed += 1) {
  const isMixed = seed % 3 === 0;
  if (ofQueues.has(area) && !isMixed && themeOf(seed)?.isOfQueue !== true) continue;
  tried += 1;
  const { broken } = await runSeeds({ fromSeed: seed, seeds: 1 }, { isMixed });
  const violation = broken[0]?.violations[0];
  if (violation === undefined) continue;
  process.stdout.write(`seed ${seed}${isMixed ? ' --mixed' : ''}: ${violation.invariant}`);
  break;
}

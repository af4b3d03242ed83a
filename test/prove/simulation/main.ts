/** Runs each mutant in worlds until one breaks an invariant: `npm run prove -- mutants`. */
import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';
import { recordFigures } from '../../../scripts/proof/last-figures.ts';
import { judge } from '../../../simulation/invariants/invariants.ts';
import { queueKindOf, runSeed } from '../../../simulation/run-seed.ts';
import { findMutant, findWithoutMutant } from './mutants/known-worlds.ts';
import { isOfMixedWorlds, type Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

// As in the threads of `npm run simulate`: nobody reads the stacks.
Error.stackTraceLimit = 0;

/** The worlds with which `--seeds` and `leastKilled` go together. */
const seedsByDefault = 1500;

/** How many of the mutants are killed in so many worlds at least: a ratchet. */
const leastKilled = 94;

/** @returns the first seed that kills the mutant, with the invariant that it breaks; undefined for one that survives */
async function firstKill(mutant: Mutant, seeds: number): Promise<{ seed: number; breaks: string } | undefined> {
  const { name, mutation } = mutant;
  const isMixed = isOfMixedWorlds(mutant);
  for (let seed = 1; seed <= seeds; seed += 1) {
    if (!mayShow(mutant, seed)) continue;
    try {
      const [violation] = judge(await runSeed(seed, { mutation, isMixed }));
      if (violation !== undefined) return { seed, breaks: violation.invariant };
    } catch (error) {
      throw new Error(`seed ${seed} with the mutant '${name}' does not run to its end`, { cause: error });
    }
  }
  return undefined;
}

/** A mutant of limits does nothing in a world without limits, and so on: davit is as it should be there. */
function mayShow(mutant: Mutant, seed: number): boolean {
  const { queued = 0, maxAgents = 'any', warm = 0, isSized = false, ci } = mutant.world;
  const world = queueKindOf(seed, { isMixed: isOfMixedWorlds(mutant) });
  return (
    (queued === 0 || world.queued > 0) &&
    (maxAgents === 'any' || world.maxAgents !== 'any') &&
    (warm === 0 || world.warm > 0) &&
    (!isSized || world.isSized) &&
    (ci === undefined || world.ci === ci)
  );
}

const help = `npm run prove -- mutants [options]

Runs each mutant in simulated worlds with random faults until one breaks an invariant. Takes half an hour: it prints each
mutant as it goes. Exit code 1 if fewer than ${leastKilled} of ${mutants.length} are noticed in ${seedsByDefault} worlds each.

  --known     run each mutant only in the world that is known to reveal it, and davit itself there; takes a minute, and
              fails if a mutant is not noticed or davit breaks an invariant
  --seeds N   how many worlds each mutant gets (default ${seedsByDefault})
  --record    write what it came to into docs/proof.md
  --help      this text
`;

async function findKills(seeds: number): Promise<number> {
  let killed = 0;
  for (const mutant of mutants) {
    const kill = await firstKill(mutant, seeds);
    if (kill !== undefined) killed += 1;
    const what = kill === undefined ? 'survived' : `killed by seed ${kill.seed} (${kill.breaks})`;
    process.stdout.write(`${mutant.name}: ${what}\n`);
  }
  return killed;
}

/** @returns how many mutants were missed, or not the only cause of what was found */
async function countUnproven(): Promise<number> {
  let unproven = 0;
  for (const mutant of mutants) {
    const [found, without] = [await findMutant(mutant), await findWithoutMutant(mutant)];
    if (found !== undefined && without === undefined) continue;
    unproven += 1;
    process.stdout.write(`${mutant.name}: ${found === undefined ? 'survived' : 'davit itself breaks an invariant'}\n`);
  }
  return unproven;
}

const Arguments = z.object({
  known: z.boolean().default(false),
  seeds: z.coerce.number('expected a number').int().min(1).default(seedsByDefault),
  record: z.boolean().default(false),
});
const options = readArguments(process.argv.slice(2), Arguments);
if (options === 'help') process.stdout.write(help);
else if (options.known) {
  const unproven = await countUnproven();
  process.stdout.write(`${mutants.length - unproven} of ${mutants.length} mutants are noticed in the world of each\n`);
  if (unproven > 0) process.exitCode = 1;
} else {
  const { seeds, record } = options;
  const killed = await findKills(seeds);
  const figures = `${killed} of ${mutants.length} mutants are noticed in ${seeds.toLocaleString('en')} worlds each`;
  process.stdout.write(`${figures}\n`);
  if (record) recordFigures('npm run prove -- mutants', figures);
  if (killed < leastKilled && seeds >= seedsByDefault) process.exitCode = 1;
}

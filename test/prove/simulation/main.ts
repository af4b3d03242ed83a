/** Runs each mutant in worlds with faults at random until one breaks an invariant: `npm run prove -- mutants`. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { type Kill, type Kills, killsFile, readKills } from '../../../scripts/proof/proof-docs.ts';
import { judge } from '../../../simulation/invariants/invariants.ts';
import { queueKindOf, runSeed } from '../../../simulation/run-seed.ts';
import { isOfMixedWorlds, type Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

// As in the threads of `npm run simulate`: nobody reads the stacks.
Error.stackTraceLimit = 0;

async function firstKill(mutant: Mutant, seeds: number): Promise<Kill> {
  const { name, mutation } = mutant;
  const isMixed = isOfMixedWorlds(mutant);
  for (let seed = 1; seed <= seeds; seed += 1) {
    if (!mayShow(mutant, seed)) continue;
    try {
      const [violation] = judge(await runSeed(seed, { mutation, isMixed }));
      if (violation !== undefined) return { name, seed, breaks: violation.invariant };
    } catch (error) {
      throw new Error(`seed ${seed} with the mutant '${name}' does not run to its end`, { cause: error });
    }
  }
  return { name, seed: null, breaks: null };
}

/** A mutant of limits does nothing in a world without limits, and so on: davit is as it should be there. */
function mayShow(mutant: Mutant, seed: number): boolean {
  const { queued = 0, maxAgents = 'any', warm = 0, isSized = false, ci } = mutant;
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

Runs each mutant in simulated worlds with random faults until one breaks an invariant, and writes
scripts/proof/kills.json. Takes minutes: it prints each mutant as it goes.

  --seeds N   how many worlds each mutant gets (default 1500)
  --missing   try only the mutants that the file does not have yet
  --help      this text
`;

const options = {
  seeds: { type: 'string', default: '1500' },
  missing: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;
const { values } = parseArgs({ options });
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const seeds = z.coerce.number().int().min(1).parse(values.seeds);
const known = values.missing ? readKills().kills : [];
const kills: Kill[] = [];
for (const mutant of mutants) {
  const kill = known.find(({ name }) => name === mutant.name) ?? (await firstKill(mutant, seeds));
  kills.push(kill);
  process.stdout.write(`${kill.seed === null ? 'survived' : `killed by seed ${kill.seed}`}: ${kill.name}\n`);
}
const table: Kills = { seeds, kills };
writeFileSync(killsFile, `${JSON.stringify(table, undefined, 2)}\n`);

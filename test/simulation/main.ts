/** Runs each mutant in worlds with faults at random until one breaks an invariant: `npm run simulate:mutants`. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { type Kill, type Kills, killsFile } from '../../scripts/proof/proof-docs.ts';
import { judge } from '../../simulation/invariants/invariants.ts';
import { runSeed } from '../../simulation/run-seed.ts';
import type { Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

async function firstKill({ name, mutation }: Mutant, seeds: number): Promise<Kill> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    try {
      const [violation] = judge(await runSeed(seed, { mutation }));
      if (violation !== undefined) return { name, seed, breaks: violation.invariant };
    } catch (error) {
      throw new Error(`seed ${seed} with the mutant '${name}' does not run to its end`, { cause: error });
    }
  }
  return { name, seed: null, breaks: null };
}

const help = `npm run simulate:mutants -- [options]

Runs each mutant in simulated worlds with random faults until one breaks an invariant, and writes
scripts/proof/kills.json. Takes minutes: it prints each mutant as it goes.

  --seeds N   how many worlds each mutant gets (default 1500)
  --help      this text
`;

const options = { seeds: { type: 'string', default: '1500' }, help: { type: 'boolean', default: false } } as const;
const { values } = parseArgs({ options });
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const seeds = z.coerce.number().int().min(1).parse(values.seeds);
const kills: Kill[] = [];
for (const mutant of mutants) {
  const kill = await firstKill(mutant, seeds);
  kills.push(kill);
  process.stdout.write(`${kill.seed === null ? 'survived' : `killed by seed ${kill.seed}`}: ${kill.name}\n`);
}
const table: Kills = { seeds, kills };
writeFileSync(killsFile, `${JSON.stringify(table, undefined, 2)}\n`);

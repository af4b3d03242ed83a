import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { KeptRuns } from '../../simulation/kept-runs.ts';
import { tables } from '../../simulation/report.ts';
import { markdownTable } from '../cost/markdown.ts';

const Kill = z.object({
  name: z.string(),
  /** The first seed that kills the mutant; null for a mutant that survives. */
  seed: z.int().nullable(),
  /** The invariant that it breaks. */
  breaks: z.string().nullable(),
});
/** What became of one mutant in worlds with faults at random. */
export type Kill = z.infer<typeof Kill>;

const Kills = z.object({
  /** How many worlds each mutant got. */
  seeds: z.int(),
  kills: z.array(Kill),
});
/** What `npm run simulate:mutants` has found. */
export type Kills = z.infer<typeof Kills>;

/** Where the results of the largest run are. */
export const runsFile = new URL('runs.json', import.meta.url);

/** Where it is kept what became of the mutants. */
export const killsFile = new URL('kills.json', import.meta.url);

/** Reads what became of the mutants. @throws ZodError when the file is something else */
export function readKills(): Kills {
  return Kills.parse(JSON.parse(readFileSync(killsFile, 'utf8')));
}

/** Writes the document of what the simulation shows. */
export function proofDocs({ version, fromSeed, seeds, tally }: KeptRuns, kills: Kills): string {
  const killed = kills.kills.filter(({ seed }) => seed !== null).length;
  return `# Proof by simulation

<!-- Written by \`npm run docs\` from scripts/proof/runs.json and kills.json: change those. -->

Davit's own functions and its state machine, \`statemachine/launch.asl.json\`, run in simulated worlds: Kubernetes,
DynamoDB, Step Functions, Lambda, EventBridge, CI servers, agents and people. A world has one thread, one virtual clock
and one seed that makes every choice. A judge reads the whole history of each run. It accepts an ending or a relaunch
only for something that happened to that launch, as \`simulation/invariants/causes.ts\` lists it.

\`docs/model.md\` proves what holds in every order of the steps. [Mutation testing](mutation.md) changes the code one
expression at a time.

The simulation has found, among others: a late create could bring up a second Pod whose agent got the first one's
address (ADR 10); a function that was suspended took a slow image pull for one that lasts; a node took a Pod, a late
create gave its name to another Pod, and davit ended the launch instead of launching it again (seed 1358); a Pod that an
earlier attempt had made went with its node before it was first seen, and its launch was ended too (seed 7543).

An earlier and less strict judge had 290,000 seeds with 1,013,843 launches. This is the largest run of the present one:

    npm run simulate -- --seed ${fromSeed} --seeds ${seeds} --keep scripts/proof/runs.json

The version that ran: ${version}.

${tables(tally)}

## What the judge notices

\`test/simulation/mutants.test.ts\` shows that the judge can fail: it breaks davit in one place at a time, with the faults
that bring it to light, and the judge notices each. \`npm run simulate:mutants\` gives each of these mutants ${kills.seeds.toLocaleString('en')} worlds
with faults at random: ${killed} of ${kills.kills.length} are noticed there.

${markdownTable(['what is wrong with davit', 'first seed that shows it', 'invariant'], kills.kills.map(rowOf))}
`;
}

function rowOf({ name, seed, breaks }: Kill): string[] {
  return [name, seed === null ? 'none; by name in the test' : String(seed), breaks ?? ''];
}

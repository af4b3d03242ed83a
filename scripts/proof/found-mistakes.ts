import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { markdownTable } from '../cost/markdown.ts';

/**
 * The first run in which a judge has seen that something is wrong, and what. `commands`: no world, but random commands to
 * davit's transitions. `provoked world`: one that is about to show the mistake.
 */
export const Sighting = z.object({
  seed: z.int(),
  of: z.enum(['world', 'mixed world', 'provoked world', 'commands']),
  rule: z.string(),
});
export type Sighting = z.infer<typeof Sighting>;

/** What each judge of simulated runs has seen of a mistake. A judge that has seen nothing is absent. */
export const Sightings = z.object({
  simulation: Sighting.optional(),
  trace: Sighting.optional(),
  history: Sighting.optional(),
});
export type Sightings = z.infer<typeof Sightings>;

/** The judges of simulated runs. */
export const judges = Sightings.keyof().options;
export type Judge = keyof Sightings;

/** A protocol mistake, and what has seen it. */
export const FoundMistake = z.object({
  name: z.string(),
  of: z.string(),
  harm: z.string(),
  /** The broken variant of the model that is the same mistake. */
  model: z.string().optional(),
  ...Sightings.shape,
  /** How many unit tests fail; absent if none ran. */
  units: z.int().optional(),
});
export type FoundMistake = z.infer<typeof FoundMistake>;

/** What `npm run prove -- mistakes --write` keeps. */
export const FoundMistakes = z.object({
  /** How many worlds each mistake got. */
  seeds: z.int(),
  found: z.array(FoundMistake),
});
export type FoundMistakes = z.infer<typeof FoundMistakes>;

/** The file with the results. */
export const mistakesFile = new URL('mistakes.json', import.meta.url);

/** Reads the results. @throws ZodError for a file of another kind */
export function readFoundMistakes(): FoundMistakes {
  return FoundMistakes.parse(JSON.parse(readFileSync(mistakesFile, 'utf8')));
}

/** Writes which judge sees which mistake, and in which seed first. */
export function mistakesTable({ seeds, found }: FoundMistakes): string {
  const rows = found.map(({ name, of, simulation, trace, history, model, units }) => [
    name,
    of,
    seedOf(simulation),
    seedOf(trace),
    seedOf(history),
    model === undefined ? '' : 'yes',
    units === undefined ? '' : `${units}`,
  ]);
  const of = (isSeen: (mistake: FoundMistake) => boolean) => found.filter(isSeen).length;
  const twice = of((mistake) => judgesOf(mistake) >= 2);
  const models = of(({ model }) => model !== undefined);
  const counts = `in ${seeds} worlds each, the simulation sees ${of(({ simulation }) => simulation !== undefined)} of ${found.length}`;
  const checkers = `the trace checker ${of(({ trace }) => trace !== undefined)}, the history checker ${of(({ history }) => history !== undefined)}`;
  const head = ['mistake', 'of', 'simulation', 'trace', 'history', 'model', 'unit tests that fail'];
  return `${markdownTable(head, rows)}\n\n${counts}, ${checkers}; the model refutes ${models}; two or more judges see ${twice}.`;
}

/** How many of simulation, model, trace checker and history checker see a mistake. */
export function judgesOf({ simulation, trace, history, model }: FoundMistake): number {
  return [simulation, trace, history, model].filter((seen) => seen !== undefined).length;
}

const kinds = { world: '', 'mixed world': ' mixed', 'provoked world': ' provoked', commands: ' commands' } as const;

function seedOf(seen: Sighting | undefined): string {
  return seen === undefined ? '' : `${seen.seed}${kinds[seen.of]}`;
}

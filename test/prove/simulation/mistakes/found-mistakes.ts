import * as z from 'zod';
import { markdownTable } from '../../../../scripts/cost/markdown.ts';

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
type Sightings = z.infer<typeof Sightings>;

/** The judges of simulated runs. */
export const judges = Sightings.keyof().options;
/** A judge of simulated runs. */
export type Judge = keyof Sightings;

/** A protocol mistake, and what has seen it. */
export interface FoundMistake extends Sightings {
  name: string;
  of: string;
  /** The broken variant of the model that is the same mistake. */
  model?: string | undefined;
  /** How many unit tests fail; absent if none ran. */
  units?: number | undefined;
}

/** Writes which judge sees which mistake, and in which seed first. */
export function mistakesTable(found: readonly FoundMistake[]): string {
  const rows = found.map(({ name, of, simulation, trace, history, model, units }) => [
    name,
    of,
    seedOf(simulation),
    seedOf(trace),
    seedOf(history),
    model === undefined ? '' : 'yes',
    units === undefined ? '' : `${units}`,
  ]);
  return markdownTable(['mistake', 'of', 'simulation', 'trace', 'history', 'model', 'unit tests that fail'], rows);
}

/** Writes how many mistakes each judge sees. @param seeds how many worlds each mistake got */
export function mistakesSummary(found: readonly FoundMistake[], seeds: number): string {
  const of = (isSeen: (mistake: FoundMistake) => boolean) => found.filter(isSeen).length;
  return (
    `in ${seeds.toLocaleString('en')} worlds each, the simulation sees ${of(({ simulation }) => simulation !== undefined)} of ` +
    `${found.length}, the trace checker ${of(({ trace }) => trace !== undefined)}, the history checker ` +
    `${of(({ history }) => history !== undefined)}; a model refutes ${of(({ model }) => model !== undefined)}; ` +
    `two or more see ${of((mistake) => judgesOf(mistake) >= 2)}`
  );
}

/** How many of simulation, model, trace checker and history checker see a mistake. */
export function judgesOf({ simulation, trace, history, model }: FoundMistake): number {
  return [simulation, trace, history, model].filter((seen) => seen !== undefined).length;
}

const kinds = { world: '', 'mixed world': ' mixed', 'provoked world': ' provoked', commands: ' commands' } as const;

function seedOf(seen: Sighting | undefined): string {
  return seen === undefined ? '' : `${seen.seed}${kinds[seen.of]}`;
}

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { brokenVariants, checks, type Model, modelOf, models, type Property, properties } from './checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Judged } from './report.ts';

const Found = z.object({
  title: z.string(),
  violated: z
    .string()
    .refine((text): text is Property => Object.hasOwn(properties, text))
    .optional(),
  states: z.int(),
  depth: z.int(),
  seconds: z.number(),
});

/** What `npm run prove -- model --write` keeps of one model. */
const ModelResults = z.object({ fingerprint: z.string(), found: z.array(Found) });

/** By model. */
export const Results = z.partialRecord(z.enum(models), ModelResults);
export type Results = z.infer<typeof Results>;

/** The file with the results. */
export const resultsFile = new URL('results.json', import.meta.url);

/** Reads the results. @throws ZodError for a file of another kind */
export function readResults(): Results {
  return Results.parse(JSON.parse(readFileSync(resultsFile, 'utf8')));
}

/** Every search, in the order of docs/model.md. */
export const searches: readonly Omit<Judged, 'found'>[] = [
  ...checks.map((check) => ({ check, refutes: undefined })),
  ...brokenVariants.map((check) => ({ check, refutes: check.refutes })),
];

/**
 * Replaces the results of models with those of new searches.
 *
 * @param judged all searches of these models
 */
export async function withSearched(
  results: Results,
  searched: readonly Model[],
  judged: readonly Judged[],
): Promise<Results> {
  const entries = await Promise.all(
    searched.map(async (model) => {
      const found = judged
        .filter(({ check }) => modelOf(check) === model)
        .map(({ check: { title }, found: { violated, states, depth, seconds } }) => ({
          title,
          ...(violated === undefined ? {} : { violated }),
          states,
          depth,
          seconds,
        }));
      return [model, { fingerprint: await fingerprintOf(model), found }];
    }),
  );
  return { ...results, ...Object.fromEntries(entries) };
}

/** The models of which the results are missing, or those of an older model. */
export async function outdatedModels(results: Results): Promise<Model[]> {
  const known = await Promise.all(
    models.map(async (model) => results[model]?.fingerprint === (await fingerprintOf(model))),
  );
  return models.filter((_model, index) => known[index] !== true);
}

/** All searches with their results. @throws Error when one has none */
export function judgedOf(results: Results): Judged[] {
  return searches.map(({ check, refutes }) => {
    const kept = results[modelOf(check)]?.found.find(({ title }) => title === check.title);
    if (kept === undefined) throw new Error(`no result is kept of the search: ${check.title}`);
    const { violated, states, depth, seconds } = kept;
    return { check, refutes, found: { states, depth, seconds, ...(violated === undefined ? {} : { violated }) } };
  });
}

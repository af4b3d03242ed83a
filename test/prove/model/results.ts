import { type KeptTable, takenHead } from '../../../scripts/kept-rows.ts';
import { brokenVariants, checks, type Model, modelOf, models } from './checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Judged } from './report.ts';

/** Every search. */
export const searches: readonly Omit<Judged, 'found'>[] = [
  ...checks.map((check) => ({ check, refutes: undefined })),
  ...brokenVariants.map((check) => ({ check, refutes: check.refutes })),
];

/** The table of docs/model.md: a row for each model. */
export const resultsTable: KeptTable = {
  command: 'npm run prove -- model --record',
  head: ['model', 'fingerprint', 'searches that found nothing', 'states', 'broken variants refuted', ...takenHead],
  order: models.map(cellOf),
};

/** Writes the row of a model. @param judged every search of it; each is right @param taken when, and of which commit */
export async function rowOf(model: Model, judged: readonly Judged[], taken: readonly string[]): Promise<string[]> {
  const ofModel = judged.filter(({ check }) => modelOf(check) === model);
  const proved = ofModel.filter(({ refutes }) => refutes === undefined);
  const states = proved.reduce((sum, { found }) => sum + found.states, 0);
  const counts = [proved.length, states, ofModel.length - proved.length].map((count) => count.toLocaleString('en'));
  return [...(await keyOf(model)), ...counts, ...taken];
}

/** The first cells of a model's row: its name, and the fingerprint of the model as it is. */
export async function keyOf(model: Model): Promise<[name: string, fingerprint: string]> {
  return [cellOf(model), `\`${await fingerprintOf(model)}\``];
}

function cellOf(model: Model): string {
  return `\`${model}\``;
}

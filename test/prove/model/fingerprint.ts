import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brokenVariants, checks, type Model, modelOf } from './checks.ts';
import { modelFile } from './spin.ts';

/**
 * Computes the fingerprint of a model that docs/model.md contains, to detect results of an older one.
 *
 * @returns a hash of the model, without its comments, and of every search through it, in hexadecimal
 */
export async function fingerprintOf(model: Model): Promise<string> {
  const hash = createHash('sha256');
  hash.update(codeOf(await readFile(modelFile(model), 'utf8')));
  for (const check of [...checks, ...brokenVariants].filter((each) => modelOf(each) === model)) {
    const { title, defines, cycles } = check;
    hash.update(JSON.stringify([title, defines, cycles]));
  }
  return hash.digest('hex').slice(0, 16);
}

function codeOf(promela: string): string {
  return promela.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '').replaceAll(/\s+/g, ' ');
}

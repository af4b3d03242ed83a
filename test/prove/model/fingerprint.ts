import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brokenVariants, checks } from './checks.ts';
import { modelFile } from './spin.ts';

/**
 * Computes the fingerprint that docs/model.md contains, to detect results of an older model.
 *
 * @returns a hash of the models, without their comments, and of every search through them, in hexadecimal
 */
export async function fingerprintOfModels(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['launch.pml', 'clusters.pml', 'queue.pml'])
    hash.update(codeOf(await readFile(modelFile(name), 'utf8')));
  for (const { title, defines, model, cycles } of [...checks, ...brokenVariants]) {
    hash.update(JSON.stringify([title, defines, model, cycles]));
  }
  return hash.digest('hex').slice(0, 16);
}

function codeOf(promela: string): string {
  return promela.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '').replaceAll(/\s+/g, ' ');
}

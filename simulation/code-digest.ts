import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Digests the code that one run of the simulation executes: davit's, the state machine's and the world's, without packages
 * and comments. A run is of this code exactly if it has this digest.
 */
export async function codeDigest(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['simulation/run-seed.ts'],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  // davit reads the state machine at run time.
  const hash = createHash('sha256').update(readFileSync(`${root}/statemachine/launch.asl.json`));
  for (const { contents } of outputFiles) hash.update(contents);
  return hash.digest('hex').slice(0, 16);
}

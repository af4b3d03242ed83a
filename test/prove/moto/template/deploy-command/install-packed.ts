import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { rootFolder } from '../../../../../cdk/bundling.ts';
import { run } from '../../../cluster/run.ts';

const Manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

/**
 * Makes the package, and unpacks its archive in a folder where only its own dependencies are in reach: not the CDK, not
 * esbuild.
 *
 * @param folder empty
 * @returns the file that `davit` runs
 */
export async function installPacked(folder: string): Promise<string> {
  const archive = /^(\S+\.tgz):/m.exec(await run(process.execPath, ['scripts/package.ts']))?.[1] ?? '';
  const modules = join(folder, 'node_modules');
  const own = join(modules, '@davit-ci', 'davit');
  mkdirSync(own, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', own, '--strip-components=1']);
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(rootFolder, 'node_modules', name), join(modules, name));
  }
  return join(own, 'cli', 'davit.js');
}

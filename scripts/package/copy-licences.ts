import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from './read-manifest.ts';

/**
 * Copies the licence and the notices of a package that is in a bundle.
 *
 * @param packageFolder the package's
 * @param target the folder for all licences; each package gets its own in it
 */
export function copyLicences(packageFolder: string, target: string): void {
  const { name } = readManifest(packageFolder);
  const files = readdirSync(packageFolder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  for (const file of files) cpSync(join(packageFolder, file), join(target, name, file));
}

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as z from 'zod';

const Manifest = z.looseObject({ name: z.string(), version: z.string(), license: z.optional(z.string()) });

/** Reads the package.json of a package. @param folder the package's */
function readManifest(folder: string): z.output<typeof Manifest> {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

/** Lists the folders of the packages that a bundle contains. @param workingFolder that of the build */
export function packageFolders({ inputs }: Metafile, workingFolder: string): string[] {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*\/node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(join(workingFolder, path))?.slice(0, 1) ?? [],
  );
  return [...new Set(folders)];
}

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

const Sbom = z.looseObject({ components: z.array(z.looseObject({ 'bom-ref': z.string() })) });

/**
 * Adds the packages to an SBOM that are a part of the package's own files: npm does not know of them.
 *
 * @param sbom CycloneDX, as `npm sbom` writes it
 * @param folders of these packages
 */
export function withBundled(sbom: string, folders: readonly string[]): string {
  const parsed = Sbom.parse(JSON.parse(sbom));
  const components = new Map(parsed.components.map((component) => [component['bom-ref'], component]));
  for (const folder of folders) {
    const { name, version, license } = readManifest(folder);
    const reference = `${name}@${version}`;
    // An install may bring it, too.
    if (components.has(reference)) continue;
    components.set(reference, {
      'bom-ref': reference,
      type: 'library',
      name,
      version,
      scope: 'required',
      purl: `pkg:npm/${reference}`,
      ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    });
  }
  return `${JSON.stringify({ ...parsed, components: [...components.values()] }, undefined, 2)}\n`;
}

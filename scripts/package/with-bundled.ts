import * as z from 'zod';
import { readManifest } from './read-manifest.ts';

const Sbom = z.looseObject({ components: z.array(z.looseObject({ 'bom-ref': z.string() })) });

/**
 * Adds the packages to an SBOM that are a part of the package's own files: npm does not know of them.
 *
 * @param sbom CycloneDX, as `npm sbom` writes it
 * @param packageFolders the folders of these packages
 */
export function withBundled(sbom: string, packageFolders: readonly string[]): string {
  const parsed = Sbom.parse(JSON.parse(sbom));
  const components = new Map(parsed.components.map((component) => [component['bom-ref'], component]));
  for (const folder of packageFolders) {
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { rootFolder } from '../../cdk/bundling.ts';
import { bundled } from './bundle-template.ts';

const Sbom = z.looseObject({ components: z.array(z.unknown()) });
const Manifest = z.looseObject({ name: z.string(), version: z.string(), license: z.string() });

/**
 * Adds the packages to an SBOM that are a part of the package's own files: npm does not know of them.
 *
 * @param sbom CycloneDX, as `npm sbom` writes it
 */
export function withBundled(sbom: string): string {
  const parsed = Sbom.parse(JSON.parse(sbom));
  const components = bundled.map((name) => {
    const path = join(rootFolder, 'node_modules', name, 'package.json');
    const { version, license } = Manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
    const purl = `pkg:npm/${name}@${version}`;
    return {
      'bom-ref': `${name}@${version}`,
      type: 'library',
      name,
      version,
      scope: 'required',
      purl,
      licenses: [{ license: { id: license } }],
    };
  });
  return `${JSON.stringify({ ...parsed, components: [...parsed.components, ...components] }, undefined, 2)}\n`;
}

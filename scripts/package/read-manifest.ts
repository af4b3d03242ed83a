import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const Manifest = z.looseObject({ name: z.string(), version: z.string(), license: z.optional(z.string()) });

/** Reads the package.json of a package. @param folder the package's */
export function readManifest(folder: string): z.output<typeof Manifest> {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

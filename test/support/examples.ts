import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { rootFolder } from '../../cdk/bundling.ts';
import type { Config } from '../../core/config/config.ts';
import { parseConfig } from '../../core/config/read-config.ts';

const folder = join(rootFolder, 'examples');

/** The examples that have a davit.yaml, by the names of their folders and of their guides. */
export const exampleNames: readonly string[] = readdirSync(folder)
  .filter((name) => existsSync(join(folder, name, 'davit.yaml')))
  .toSorted();

/** Reads the files of an example. */
export function readExample(name: string): { file: string; text: string }[] {
  return readdirSync(join(folder, name)).map((file) => ({
    file,
    text: readFileSync(join(folder, name, file), 'utf8'),
  }));
}

/** What a reader of an example changes in its files. */
type Edit = (text: string) => string;

/** Reads the davit.yaml of an example as davit does. @throws ConfigError with every problem */
export function configOfExample(name: string, edit: Edit = String): Config {
  const file = join(folder, name, 'davit.yaml');
  return parseConfig(edit(readFileSync(file, 'utf8')), file);
}

/** A Kubernetes object of an example. */
export const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().exactOptional() }),
});
export type Manifest = z.infer<typeof Manifest>;

/** Reads the Kubernetes objects of an example, if it has any. */
export function manifestsOf(name: string, edit: Edit = String): Manifest[] {
  const file = join(folder, name, 'manifests.yaml');
  if (!existsSync(file)) return [];
  return parseAllDocuments(edit(readFileSync(file, 'utf8')), { strict: true }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return Manifest.parse(document.toJS());
  });
}

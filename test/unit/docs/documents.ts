import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';

/** All documents, from the repository's root. */
export const documents = [
  'README.md',
  'SCOPE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(rootFolder, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** Those about this version: a decision names the files and the commands of its day. */
export const presentDocuments = documents.filter((name) => !name.startsWith('docs/adr/'));

/** Reads a file, by its path from the repository's root. */
export function read(name: string): string {
  return readFileSync(join(rootFolder, name), 'utf8');
}

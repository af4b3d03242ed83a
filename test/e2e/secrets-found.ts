import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/**
 * Finds secrets in the Pods that a davit made, and in its files and those of its agents.
 *
 * @param known a text that some file has
 * @returns those that are there
 * @throws Error when no file has the known text: then the files are not where this reads them
 */
export async function secretsFound(
  { history, stateDirectory }: Pick<TestRuntime, 'history' | 'stateDirectory'>,
  secrets: readonly string[],
  known: string,
): Promise<string[]> {
  const entries = await readdir(stateDirectory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  if (!contents.some((content) => content.includes(known))) throw new Error(`no file of davit has ${known}`);
  const texts = [JSON.stringify(history.changes), ...contents];
  return secrets.filter((secret) => texts.some((text) => text.includes(secret)));
}

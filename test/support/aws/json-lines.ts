import { closeSync, openSync, writeFileSync } from 'node:fs';

/** A file with a JSON line for each entry: what a service was given, for tests that search it. */
export interface JsonLines {
  append(entry: unknown): void;
  close(): void;
}

/** Opens a file of JSON lines. @param path the file. Without one, the entries are not kept */
export function openJsonLines(path: string | undefined): JsonLines {
  if (path === undefined) return { append: () => undefined, close: () => undefined };
  const file = openSync(path, 'a', 0o600);
  return {
    append: (entry) => writeFileSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  };
}

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A file of JSON lines that survives `kill -9`: when `append` returns, the operating system has the entry. (A power cut
 * can lose the last moments, because nothing forces the entry onto the disk.)
 */
export interface JsonLinesJournal {
  readonly sizeBytes: number;
  append(entry: unknown): void;
  /** Replaces the whole file by `entries`, atomically. */
  rewrite(entries: Iterable<unknown>): void;
  close(): void;
}

/**
 * Opens a journal and reads its entries. Drops an incomplete last line, left by a process that died while it wrote, and
 * removes it from the file before the next append.
 *
 * @throws Error naming file and line when any other line is not JSON.
 */
export function openJournal(path: string): { journal: JsonLinesJournal; entries: unknown[] } {
  mkdirSync(dirname(path), { recursive: true });
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const wholeText = text.slice(0, text.lastIndexOf('\n') + 1);
  const entries = parseLines(path, wholeText);
  const journal = new FileJournal(path, Buffer.byteLength(wholeText));
  if (wholeText.length < text.length) journal.rewrite(entries);
  return { journal, entries };
}

/** A journal that keeps nothing, for a runtime without a state directory. */
export const forgetfulJournal: JsonLinesJournal = {
  sizeBytes: 0,
  append: () => undefined,
  rewrite: () => undefined,
  close: () => undefined,
};

class FileJournal implements JsonLinesJournal {
  readonly #path: string;
  #file: number;
  sizeBytes: number;

  constructor(path: string, sizeBytes: number) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
    this.sizeBytes = sizeBytes;
  }

  append(entry: unknown): void {
    this.sizeBytes += writeWhole(this.#file, Buffer.from(`${JSON.stringify(entry)}\n`));
  }

  rewrite(entries: Iterable<unknown>): void {
    const nextPath = `${this.#path}.next`;
    const nextFile = openSync(nextPath, 'w', 0o600);
    let sizeBytes = 0;
    for (const entry of entries) sizeBytes += writeWhole(nextFile, Buffer.from(`${JSON.stringify(entry)}\n`));
    // The new file must be on the disk before its name replaces the old one's.
    fsyncSync(nextFile);
    renameSync(nextPath, this.#path);
    closeSync(this.#file);
    this.#file = nextFile;
    this.sizeBytes = sizeBytes;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** write(2) may write only a part of the data. */
function writeWhole(file: number, bytes: Buffer): number {
  let writtenBytes = 0;
  while (writtenBytes < bytes.length) writtenBytes += writeSync(file, bytes, writtenBytes);
  return bytes.length;
}

function parseLines(path: string, text: string): unknown[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return JSON.parse(line);
      } catch (error) {
        throw new Error(`${path}: line ${index + 1} is not JSON`, { cause: error });
      }
    });
}

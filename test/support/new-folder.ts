import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder for temporary files, which the end of the test run removes. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'davit-test-'));
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives all tests of a run one folder for temporary files: remove-temporary-folder.ts removes it with all its files. */
export default async function setUp(): Promise<void> {
  // The workers inherit the environment.
  process.env['TMPDIR'] = await mkdtemp(join(tmpdir(), 'davit-tests-'));
}

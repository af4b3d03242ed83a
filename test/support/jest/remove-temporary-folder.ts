import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** Removes the folder of temporary-folder.ts. */
export default async function tearDown(): Promise<void> {
  await rm(tmpdir(), { recursive: true, force: true, maxRetries: 3 });
}

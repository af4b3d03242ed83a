import { globSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { functionSettings } from '../../../functions/manifest.ts';
import { FunctionThread } from '../lambda/function-thread.ts';

/**
 * Starts the functions' thread before the runtime, whose addresses the functions need later. Meanwhile the thread loads
 * the functions' adapters: they import the libraries, which take most of the time.
 */
export function prepareThread(): FunctionThread {
  const memoryMiB = Object.values(functionSettings).reduce((sum, settings) => sum + settings.memoryMiB, 0);
  return new FunctionThread(memoryMiB, adapterUrls());
}

/** Returns the URL of each adapter's module. */
export function adapterUrls(): string[] {
  const folder = new URL('../../../functions/adapters/', import.meta.url);
  const files = globSync(`*/*${extname(import.meta.url)}`, { cwd: fileURLToPath(folder) });
  return files.map((file) => new URL(file, folder).href);
}

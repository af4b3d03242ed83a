import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../cdk/bundling.ts';
import type { FunctionPermissions } from '../../cdk/function-permissions.ts';
import { runProcess } from '../run-process.ts';
import { setApart } from './bundle-alone.ts';

/**
 * Imports a bundle as Lambda does: in a process of its own, from a folder with no node_modules in reach, with no
 * environment but that of the function and of Lambda.
 *
 * @param folder the bundle's
 * @returns the problem; undefined when there is a handler
 */
export async function importAlone(folder: string, needs: FunctionPermissions): Promise<string | undefined> {
  await using alone = await setApart(folder, needs);
  const url = pathToFileURL(join(alone.folder, bundleFile)).href;
  const script = `const { handler } = await import(${JSON.stringify(url)});
    if (typeof handler !== 'function') throw new Error('the bundle exports no handler');`;
  const { exitCode, output } = await runProcess(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: alone.folder,
    env: alone.env,
  });
  return exitCode === 0 ? undefined : `✗\n${shortLines(output)}`;
}

/** Node quotes the line that failed, and a minified bundle is one long line. */
function shortLines(text: string): string {
  return text.replaceAll(/^(.{200}).+$/gm, '$1…');
}

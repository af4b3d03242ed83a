import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleFile } from '../../cdk/bundling.ts';
import { functionPermissions } from '../../cdk/function-permissions.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { type BundleAlone, setApart } from '../build/bundle-alone.ts';

/**
 * The cost of importing one function's bundle, in milliseconds of processor time over a process that does nothing: of the
 * fastest of all runs, because other processes of the machine slow the others.
 */
export interface ColdStart {
  functionName: FunctionName;
  bundleBytes: number;
  gzippedBytes: number;
  bundleMs: number;
  /** A bundle that only imports the same libraries. */
  stubMs: number;
  /** A bundle that imports the same libraries and makes their clients. */
  clientsMs: number;
}

/** The maximum cost of a bundle over its stub. */
export const goalRatio = 1.2;

/**
 * Imports a bundle and its stubs in processes of their own, by turns with a process that does nothing, with the
 * environment that the function has on AWS. Processor time counts: other processes change it less than the time of day.
 *
 * @param folders of the bundle and of its stubs
 * @throws Error when one of them cannot be imported
 */
export async function measureColdStart(
  functionName: FunctionName,
  folders: { bundle: string; stub: string; clients: string },
  runs: number,
): Promise<ColdStart> {
  await using alone = await setApart(folders.bundle, functionPermissions[functionName]);
  await using stubAlone = await setApart(folders.stub, functionPermissions[functionName]);
  await using clientsAlone = await setApart(folders.clients, functionPermissions[functionName]);
  const emptyFile = 'empty.mjs';
  writeFileSync(join(alone.folder, emptyFile), '');
  const least = { bare: Infinity, stub: Infinity, clients: Infinity, bundle: Infinity };
  const run = (what: keyof typeof least, file: string, where: BundleAlone) => {
    least[what] = Math.min(least[what], processorMs(file, where));
  };
  for (let count = 1; count <= runs; count += 1) {
    run('bare', emptyFile, alone);
    run('stub', bundleFile, stubAlone);
    run('clients', bundleFile, clientsAlone);
    run('bundle', bundleFile, alone);
  }
  const code = readFileSync(join(folders.bundle, bundleFile));
  return {
    functionName,
    bundleBytes: code.length,
    gzippedBytes: gzipSync(code).length,
    bundleMs: least.bundle - least.bare,
    stubMs: least.stub - least.bare,
    clientsMs: least.clients - least.bare,
  };
}

const sayProcessorTime =
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); console.error(`processor ${(user + system) / 1000} ms`); });";
const preload = `data:text/javascript,${encodeURIComponent(sayProcessorTime)}`;

function processorMs(file: string, { folder, env }: Pick<BundleAlone, 'folder' | 'env'>): number {
  const args = ['--import', preload, join(folder, file)];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  const said = /^processor ([\d.]+) ms$/m.exec(stderr)?.[1];
  if (status !== 0 || said === undefined) throw new Error(`${file} ended with ${status}: ${stderr.slice(-2000)}`);
  return Number(said);
}

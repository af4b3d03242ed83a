import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleFile } from '../../cdk/bundling.ts';
import { functionPermissions } from '../../cdk/function-permissions.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { type BundleAlone, setApart } from '../build/bundle-alone.ts';

/** The cost of importing a bundle over a process that does nothing, in milliseconds of processor time. */
interface OverBare {
  medianMs: number;
  /** From the fastest of all runs, because other processes of the machine slow the others. */
  leastMs: number;
}

/** The cost of importing one function's bundle. */
export interface ColdStart {
  functionName: FunctionName;
  bundleBytes: number;
  gzippedBytes: number;
  /** A process that does nothing. */
  bareMs: number;
  bundle: OverBare;
  /** A bundle that only imports the same libraries. */
  stub: OverBare;
  /** A bundle that imports the same libraries and makes their clients. */
  clients: OverBare;
  /** The bundle's cost over the stub's, from the fastest of all runs. */
  ratio: number;
  /** The bundle's cost over that of the libraries with their clients, likewise. */
  clientsRatio: number;
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
  const samples: Record<'bare' | 'stub' | 'clients' | 'bundle', number[]> = {
    bare: [],
    stub: [],
    clients: [],
    bundle: [],
  };
  for (let run = 1; run <= runs; run += 1) {
    samples.bare.push(processorMs(emptyFile, alone));
    samples.stub.push(processorMs(bundleFile, stubAlone));
    samples.clients.push(processorMs(bundleFile, clientsAlone));
    samples.bundle.push(processorMs(bundleFile, alone));
  }
  const code = readFileSync(join(folders.bundle, bundleFile));
  const bundle = overBare(samples.bundle, samples.bare);
  const stub = overBare(samples.stub, samples.bare);
  const clients = overBare(samples.clients, samples.bare);
  return {
    functionName,
    bundleBytes: code.length,
    gzippedBytes: gzipSync(code).length,
    bareMs: median(samples.bare),
    bundle,
    stub,
    clients,
    ratio: bundle.leastMs / stub.leastMs,
    clientsRatio: bundle.leastMs / clients.leastMs,
  };
}

function overBare(samples: readonly number[], bare: readonly number[]): OverBare {
  return { medianMs: median(samples) - median(bare), leastMs: Math.min(...samples) - Math.min(...bare) };
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

/** @throws RangeError for no values */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (lower === undefined || upper === undefined) throw new RangeError('the median of nothing');
  return (lower + upper) / 2;
}

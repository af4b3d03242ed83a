import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleFile } from '../../cdk/bundling.ts';
import { functionNeeds, reachesClusters } from '../../cdk/function-needs.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { setApart } from '../build/bundle-alone.ts';

/** What importing one function's bundle takes, by the median of all runs. */
export interface ColdStart {
  functionName: FunctionName;
  bundleBytes: number;
  gzippedBytes: number;
  /** A process that does nothing, started right before each that imports the bundle. */
  bareMs: number;
  importMs: number;
  /** How much longer the one takes than the other. */
  overBareMs: number;
  /** The same by the shortest of all runs: when the machine does nothing else. */
  leastOverBareMs: number;
  /** What that is to be at most; undefined for functions that nobody waits for. */
  goalMs: number | undefined;
}

/**
 * Imports a bundle in processes of their own, with the environment that the function has on AWS, each after a bare
 * `node -e 0`: what else the machine does slows both.
 *
 * @param folder the bundle's
 * @throws Error when the bundle cannot be imported
 */
export async function measureColdStart(functionName: FunctionName, folder: string, runs: number): Promise<ColdStart> {
  await using alone = await setApart(folder, functionNeeds[functionName]);
  const bare: number[] = [];
  const imports: number[] = [];
  for (let run = 1; run <= runs; run += 1) {
    bare.push(timeNode(['-e', '0'], alone));
    imports.push(timeNode([join(alone.folder, bundleFile)], alone));
  }
  const code = readFileSync(join(folder, bundleFile));
  const [bareMs, importMs] = [median(bare), median(imports)];
  return {
    functionName,
    bundleBytes: code.length,
    gzippedBytes: gzipSync(code).length,
    bareMs,
    importMs,
    overBareMs: importMs - bareMs,
    leastOverBareMs: Math.min(...imports) - Math.min(...bare),
    goalMs: goalOf(functionName),
  };
}

/** CI servers and agents wait for the first two, and each launch for the steps. */
function goalOf(functionName: FunctionName): number | undefined {
  if (functionName === 'webhook' || functionName === 'connect') return 35;
  return reachesClusters(functionName) && functionName !== 'sweep' ? 45 : undefined;
}

function timeNode(args: readonly string[], { folder, env }: { folder: string; env: Record<string, string> }): number {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  const tookMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`);
  return tookMs;
}

/** @throws RangeError for no values */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (lower === undefined || upper === undefined) throw new RangeError('the median of nothing');
  return (lower + upper) / 2;
}

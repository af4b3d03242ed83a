import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod';
import type { FunctionName } from '../runtime/function-settings.ts';

/** The file of a package with the bundles of all functions. A checkout has none, and bundles at each synthesis. */
export const prebuiltFile = 'bundles.br';

/** The files of each function's bundle: their texts by their names. */
export const PrebuiltBundles = z.record(z.string(), z.record(z.string(), z.string()));
export type PrebuiltBundles = z.infer<typeof PrebuiltBundles>;

/** 16 MiB: a window of this size stores the common parts of several bundles only once. */
const windowBits = 24;

/** Packs bundles. */
export function packBundles(bundles: PrebuiltBundles): Buffer {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
  return brotliCompressSync(JSON.stringify(bundles), {
    params: { [BROTLI_PARAM_LGWIN]: windowBits, [BROTLI_PARAM_QUALITY]: 9 },
  });
}

let unpacked: PrebuiltBundles | undefined;

/**
 * Reads a function's bundle.
 *
 * @param root the package's folder
 * @returns its files' texts by their names; undefined where there are no prebuilt bundles
 * @throws Error when the file lacks the function
 */
export function readPrebuilt(root: string, functionName: FunctionName): Readonly<Record<string, string>> | undefined {
  const path = join(root, prebuiltFile);
  if (!existsSync(path)) return undefined;
  unpacked ??= PrebuiltBundles.parse(JSON.parse(brotliDecompressSync(readFileSync(path)).toString()));
  const files = unpacked[functionName];
  if (files === undefined) throw new Error(`${path} has no function ${functionName}`);
  return files;
}

/**
 * Writes a function's bundle into a folder.
 *
 * @returns false where there are no prebuilt bundles
 * @throws Error as readPrebuilt
 */
export function writePrebuilt(root: string, functionName: FunctionName, folder: string): boolean {
  const files = readPrebuilt(root, functionName);
  for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(folder, name), text);
  return files !== undefined;
}

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { bundleFunctions, configFiles, rootFolder } from '../../cdk/bundling.ts';
import { functionNames } from '../../cdk/function-permissions.ts';
import { readPrebuilt } from '../../cdk/prebuilt-bundles.ts';
import type { Config } from '../../core/config/config.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';

/** A function's bundle as Lambda takes it. */
export interface BundleArchive {
  /** Its key in the bucket, which follows from its files. */
  key: string;
  /** Packs the files, which takes longer than all the rest. */
  zip: () => Uint8Array;
}

type Files = Readonly<Record<string, string>>;

/** The folder of the bundles in the bucket. */
export const bundlesPrefix = 'bundles/';

/** A regular file that everybody may read, as Lambda's own user must: Unix's mode in a zip's attributes. */
const readable = { os: 3, attrs: 0o100644 << 16, mtime: new Date(1980, 0, 1) } as const;

/** Makes the archive of every function's bundle with its config: the package's own bundles, or those of a checkout's sources. */
export function bundleArchives(config: Config): Map<FunctionName, BundleArchive> {
  const bundleOf = prebuilt() ?? builtFromSources(config);
  return new Map(
    functionNames.map((functionName) => {
      const files = { ...bundleOf(functionName), ...configFiles({ functionName, config }) };
      return [functionName, archiveOf(files)] as const;
    }),
  );
}

/** Makes the archive of files. The same files have the same key, and make the same bytes on every machine. */
export function archiveOf(files: Files): BundleArchive {
  const sorted = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  const zip = () => {
    const entries: Zippable = Object.fromEntries(sorted.map(([name, text]) => [name, [strToU8(text), readable]]));
    return zipSync(entries, { level: 6 });
  };
  return { key: `${bundlesPrefix}${digest}.zip`, zip };
}

function prebuilt(): ((functionName: FunctionName) => Files) | undefined {
  const [first] = functionNames;
  if (first === undefined || readPrebuilt(rootFolder, first) === undefined) return undefined;
  return (functionName) => readPrebuilt(rootFolder, functionName) ?? {};
}

function builtFromSources(config: Config): (functionName: FunctionName) => Files {
  const folder = mkdtempSync(join(tmpdir(), 'davit-bundles-'));
  try {
    bundleFunctions(functionNames, config, folder);
    const built = new Map(functionNames.map((name) => [name, filesIn(join(folder, name))]));
    return (functionName) => built.get(functionName) ?? {};
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filesIn(folder: string): Files {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Metafile } from 'esbuild';
import type { Config } from '../core/config/config.ts';
import type { FunctionName } from '../runtime/function-settings.ts';
import { functionPermissions } from './function-permissions.ts';

/** The repository's root. */
export const rootFolder = fileURLToPath(new URL('..', import.meta.url));

/** The folders that functions are made of. `functions` has one folder for each; the others have what they share. */
export const functionFolders = ['functions', 'logic', 'core', 'ports', 'adapters', 'ci', 'runtime'] as const;

/** The file of a bundle that Lambda runs. */
export const bundleFile = 'index.mjs';

/** The file beside a bundle with the checked davit.yaml, as JSON. */
export const bundledConfigFile = 'davit.json';

function substitute(file: string): string {
  return join(rootFolder, 'cdk', 'substitutes', file);
}

/** Replaces packages by nothing, in esbuild's `alias`. */
function without(packages: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(packages.map((name) => [name, substitute('not-in-lambda.cjs')]));
}

/** How davit's code becomes a module of JavaScript that Node.js runs. */
export const moduleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * The modules that every bundle leaves out: packages for features of Kubernetes' client that davit refuses (see read-kubeconfig.ts), and the
 * parts of undici that it does not use.
 */
export const leftOut: Readonly<Record<string, string>> = {
  'node:http': substitute('node-http.cjs'),
  undici: substitute('undici.cjs'),
  ...without(['hpagent', 'jsonpath-plus', 'openid-client', 'socks', 'socks-proxy-agent', 'tar-fs']),
};

/** How a function is bundled. */
export const bundleOptions = {
  ...moduleOptions,
  mainFields: ['module', 'main'],
  sourcemap: 'linked',
  // Positions are enough for a stack trace; the sources would be most of the upload.
  sourcesContent: false,
  alias: {
    ...leftOut,
    '@aws-sdk/credential-provider-node': substitute('credential-provider-node.ts'),
    '@smithy/core/event-streams': substitute('event-streams.ts'),
    'zod/mini': substitute('zod-mini.ts'),
    // Kubernetes' client and the AWS SDK import them, and no function can use them.
    ...without(['bowser', 'form-data', 'isomorphic-ws', 'stream-buffers', 'ws']),
  },
  // CommonJS dependencies ask for Node's own modules by `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire as davitCreateRequire } from 'node:module'; const require = davitCreateRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** The input of a function's bundle. */
export interface FunctionCode {
  functionName: FunctionName;
  config: Config;
}

/** Names the module that a function's bundle begins with, from the repository's root. */
export function entryPointOf(functionName: FunctionName): string {
  return join('functions', functionName, 'handler.ts');
}

/**
 * Bundles one function into a folder, with the config beside it if the function reads it.
 *
 * @param folder absolute; made if it is not there
 * @returns the contents of the bundle
 * @throws Error of esbuild's, with the place in the source
 */
export function bundleFunction({ functionName, config }: FunctionCode, folder: string): Metafile {
  const metafile = bundle([{ functionName, file: bundleFile }], folder);
  writeBundledConfig({ functionName, config }, folder);
  return metafile;
}

/**
 * Bundles functions, each into a folder of its name: all at once takes a fraction of the time, since each module is read
 * once.
 *
 * @param folder absolute
 * @returns the contents of the bundles
 * @throws Error as bundleFunction
 */
export function bundleFunctions(functionNames: readonly FunctionName[], config: Config, folder: string): Metafile {
  const metafile = bundle(
    functionNames.map((functionName) => ({ functionName, file: join(functionName, bundleFile) })),
    folder,
  );
  for (const functionName of functionNames) writeBundledConfig({ functionName, config }, join(folder, functionName));
  return metafile;
}

/** @param files where each function's bundle goes, in the folder */
function bundle(files: readonly { functionName: FunctionName; file: string }[], folder: string): Metafile {
  const { metafile } = esbuild().buildSync({
    ...bundleOptions,
    absWorkingDir: rootFolder,
    entryPoints: files.map(({ functionName, file }) => ({
      in: entryPointOf(functionName),
      out: file.slice(0, -extname(file).length),
    })),
    outdir: folder,
    outExtension: { '.js': extname(bundleFile) },
    metafile: true,
  });
  return metafile;
}

/** Writes the config beside a function's bundle, if the function reads it. */
export function writeBundledConfig({ functionName, config }: FunctionCode, folder: string): void {
  for (const [name, text] of Object.entries(configFiles({ functionName, config })))
    writeFileSync(join(folder, name), text);
}

/** Returns the file beside a function's bundle, by its name: the config, if the function reads it. */
export function configFiles({ functionName, config }: FunctionCode): Readonly<Record<string, string>> {
  return functionPermissions[functionName].config ? { [bundledConfigFile]: JSON.stringify(config) } : {};
}

/** Loads esbuild only when it is needed: a package has prebuilt bundles, and no esbuild. */
function esbuild(): typeof import('esbuild') {
  return createRequire(import.meta.url)('esbuild');
}

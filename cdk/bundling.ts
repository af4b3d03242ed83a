import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Metafile } from 'esbuild';
import { buildSync } from 'esbuild';
import type { Config } from '../functions/domain/config.ts';
import type { FunctionName } from '../functions/manifest.ts';
import { functionNeeds, reachesClusters } from './function-needs.ts';

/** The repository's root. */
export const rootFolder = fileURLToPath(new URL('..', import.meta.url));

/** The file of a bundle that Lambda runs. */
export const bundleFile = 'index.mjs';

/** The file beside a bundle with davit.yaml in it, checked and turned to JSON. */
export const bundledConfigFile = 'davit.json';

/** The file beside a bundle that parses YAML. */
export const yamlFile = 'yaml.mjs';

function substitute(file: string): string {
  return join(rootFolder, 'cdk', 'substitutes', file);
}

/** How a function is bundled. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: 'linked',
  // Positions are enough for a stack trace; the sources would be most of what is uploaded.
  sourcesContent: false,
  legalComments: 'none',
  alias: { 'node:http': substitute('node-http.cjs') },
  inject: [substitute('zod-interpreted.ts')],
  // CommonJS dependencies ask for Node's own modules by `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire as davitCreateRequire } from 'node:module'; const require = davitCreateRequire(import.meta.url);",
  },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** What a function's code is made of. */
export interface FunctionCode {
  functionName: FunctionName;
  config: Config;
}

/**
 * Bundles one function into a folder, with the config beside it if the function reads it.
 *
 * @param folder absolute; made if it is not there
 * @returns what went into the bundle
 * @throws Error of esbuild's, with the place in the source
 */
export function bundleFunction({ functionName, config }: FunctionCode, folder: string): Metafile {
  const { metafile } = buildSync({
    ...bundleOptions,
    absWorkingDir: rootFolder,
    entryPoints: [join('functions', functionName, 'handler.ts')],
    outfile: join(folder, bundleFile),
    // Only a kubeconfig that is no JSON needs it, when it is read: nobody else is to wait until it is compiled.
    alias: { ...bundleOptions.alias, yaml: `./${yamlFile}` },
    external: [`./${yamlFile}`],
    metafile: true,
  });
  if (reachesClusters(functionName)) {
    const stdin = { contents: "export { parse } from 'yaml';", resolveDir: rootFolder };
    buildSync({ ...bundleOptions, absWorkingDir: rootFolder, stdin, outfile: join(folder, yamlFile) });
  }
  if (functionNeeds[functionName].config) writeFileSync(join(folder, bundledConfigFile), JSON.stringify(config));
  return metafile;
}

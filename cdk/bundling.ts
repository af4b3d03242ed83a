import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Metafile } from 'esbuild';
import { buildSync } from 'esbuild';
import type { Config } from '../functions/domain/config.ts';
import type { FunctionName } from '../functions/manifest.ts';
import { functionPermissions } from './function-permissions.ts';

/** The repository's root. */
export const rootFolder = fileURLToPath(new URL('..', import.meta.url));

/** The file of a bundle that Lambda runs. */
export const bundleFile = 'index.mjs';

/** The file beside a bundle with the checked davit.yaml, as JSON. */
export const bundledConfigFile = 'davit.json';

function substitute(file: string): string {
  return join(rootFolder, 'cdk', 'substitutes', file);
}

/** What Kubernetes' client imports, and no function can use. */
const notInLambda = [
  'form-data',
  'hpagent',
  'isomorphic-ws',
  'jsonpath-plus',
  'openid-client',
  'socks',
  'socks-proxy-agent',
  'stream-buffers',
  'tar-fs',
  'ws',
];

/** How a function is bundled. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: 'linked',
  // Positions are enough for a stack trace; the sources would be most of the upload.
  sourcesContent: false,
  legalComments: 'none',
  alias: {
    'node:http': substitute('node-http.cjs'),
    '@aws-sdk/credential-provider-node': substitute('credential-provider-node.ts'),
    undici: substitute('undici.cjs'),
    ...Object.fromEntries(notInLambda.map((name) => [name, substitute('not-in-lambda.cjs')])),
  },
  inject: [substitute('zod-interpreted.ts')],
  // CommonJS dependencies ask for Node's own modules by `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire as davitCreateRequire } from 'node:module'; const require = davitCreateRequire(import.meta.url);",
  },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** What a function's code is made from. */
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
    metafile: true,
  });
  if (functionPermissions[functionName].config) writeFileSync(join(folder, bundledConfigFile), JSON.stringify(config));
  return metafile;
}

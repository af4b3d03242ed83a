import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** The module of a compiled package that makes the template, and loads the CDK. */
export const templateModule = 'cdk/synthesise-template.js';

/** The packages that become part of that module: 160 MB to install, of which it needs 12. */
export const bundled = ['aws-cdk-lib', 'constructs'];

const require = createRequire(import.meta.url);

/**
 * Leaves imports of davit's own modules outside, apart from the CDK. The root of `aws-cdk-lib` loads every service there
 * is; its folder `core` has the classes that davit takes from the root.
 */
const onlyTheCdk: Plugin = {
  name: 'only-the-cdk',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^aws-cdk-lib$/ }, () => ({ path: require.resolve('aws-cdk-lib/core') }));
    esbuild.onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      const isOfCdk =
        importer.includes('/node_modules/') || bundled.some((name) => path === name || path.startsWith(`${name}/`));
      return isOfCdk ? undefined : { path, external: true };
    });
  },
};

/**
 * Replaces the module of a compiled package by one file with the CDK in it, and adds the CDK's licences.
 *
 * @param folder the package's
 */
export async function bundleTemplate(folder: string): Promise<void> {
  const path = join(folder, templateModule);
  await build({
    entryPoints: [path],
    outfile: path,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [onlyTheCdk],
    // The CDK is CommonJS, which has these names.
    banner: {
      js: [
        "import { createRequire as davitCreateRequire } from 'node:module';",
        'const require = davitCreateRequire(import.meta.url);',
        'const { filename: __filename, dirname: __dirname } = import.meta;',
      ].join(' '),
    },
  });
  for (const name of bundled) copyLicences(name, join(folder, 'licenses', name));
}

function copyLicences(name: string, target: string): void {
  const source = dirname(require.resolve(`${name}/package.json`));
  mkdirSync(target, { recursive: true });
  for (const file of ['LICENSE', 'NOTICE'])
    if (existsSync(join(source, file))) cpSync(join(source, file), join(target, file));
}

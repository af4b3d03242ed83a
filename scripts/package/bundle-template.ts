import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { moduleOptions } from '../../cdk/bundling.ts';
import { packageFolders } from './bundled-packages.ts';

/** The module of a compiled package that makes the template, and loads the CDK. */
export const templateModule = 'cdk/synthesise-template.js';

/** The packages that become part of that module: 160 MB to install, of which it needs 12. */
const bundled = ['aws-cdk-lib', 'constructs'];

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
 * Replaces the module of a compiled package by one file with the CDK in it.
 *
 * @param folder the package's
 * @returns the folders of the packages that are in it
 */
export async function bundleTemplate(folder: string): Promise<string[]> {
  const path = join(folder, templateModule);
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [path],
    outfile: path,
    allowOverwrite: true,
    ...moduleOptions,
    charset: 'utf8',
    metafile: true,
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
  return packageFolders(metafile, folder);
}

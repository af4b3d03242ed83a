import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { leftOut, moduleOptions } from '../../cdk/bundling.ts';
import { templateModule } from './bundle-template.ts';
import { packageFolders } from './bundled-packages.ts';

/** Modules of a compiled package, by the name of each one's bundle. */
type Modules = Readonly<Record<string, string>>;

const commands: Modules = { cli: 'cli/main.js', rbac: 'cli/rbac.js', 'github-app': 'cli/github-app.js' };
const oneProcess: Modules = {
  local: 'local/main.js',
  demo: 'local/demo/main.js',
  agent: 'local/agent/agent.js',
  reaper: 'sandbox/node/reaper.js',
};

/** The modules of a compiled package that Node.js runs as programs of their own, by the name of each one's bundle. */
export const programs: Modules = { ...commands, ...oneProcess };

const bundleFolder = 'programs';

/** Gives each of davit's modules the URL that it has outside of a bundle, and leaves the module with the CDK outside. */
function modulesOf(folder: string): Plugin {
  return {
    name: 'modules-of-davit',
    setup(esbuild) {
      esbuild.onResolve({ filter: new RegExp(`/${basename(templateModule)}$`) }, () => ({
        path: `../${templateModule}`,
        external: true,
      }));
      esbuild.onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (path.includes('/node_modules/')) return undefined;
        const place = JSON.stringify(`../${relative(folder, path)}`);
        return {
          contents: `const davitModule = new URL(${place}, davitBundle).href;\n${readFileSync(path, 'utf8')}`,
          resolveDir: dirname(path),
        };
      });
    },
  };
}

/** Leaves out classes of Kubernetes' client that nobody uses: esbuild keeps them because their modules set their fields. */
const withoutUnusedClasses: Plugin = {
  name: 'without-unused-classes',
  setup(esbuild) {
    const isFound = Symbol('found');
    const ofClient = /\/@kubernetes\/client-node\//;
    esbuild.onResolve({ filter: /^(@kubernetes\/client-node|\.)/ }, async ({ path, pluginData, ...asked }) => {
      if (pluginData === isFound) return undefined;
      const found = await esbuild.resolve(path, { ...asked, pluginData: isFound });
      return ofClient.test(found.path) ? { ...found, sideEffects: false } : undefined;
    });
  },
};

/**
 * Bundles the programs of a compiled package with all that they import: davit starts in half of the time, in three quarters of
 * the memory, and an install fetches few packages. A program's own module then imports its bundle.
 *
 * @param folder the package's
 * @returns the folders of the packages that are in the bundles
 */
export async function bundlePrograms(folder: string): Promise<string[]> {
  // Each by itself: one process would load with its own part of Kubernetes' client what the commands use of it.
  const bundled = [...(await bundleModules(folder, commands)), ...(await bundleModules(folder, oneProcess))];
  for (const [name, path] of Object.entries(programs)) {
    const up = relative(dirname(path), bundleFolder);
    writeFileSync(join(folder, path), `import '${up}/${name}.js';\n`);
  }
  return [...new Set(bundled)];
}

async function bundleModules(folder: string, entryPoints: Modules): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints,
    outdir: bundleFolder,
    ...moduleOptions,
    mainFields: ['module', 'main'],
    splitting: true,
    charset: 'utf8',
    metafile: true,
    plugins: [modulesOf(folder), withoutUnusedClasses],
    alias: leftOut,
    define: { 'import.meta.url': 'davitModule' },
    // Packages that are CommonJS ask for Node's own modules by `require`.
    banner: {
      js: [
        "import { createRequire as davitCreateRequire } from 'node:module';",
        'const davitBundle = import.meta.url, davitModule = davitBundle, require = davitCreateRequire(davitBundle);',
      ].join(' '),
    },
  });
  return packageFolders(metafile, folder);
}

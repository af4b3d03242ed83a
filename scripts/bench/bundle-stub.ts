import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { buildSync } from 'esbuild';
import { bundleFile, bundleOptions, rootFolder } from '../../cdk/bundling.ts';

/** The names that davit's own files import from packages, by package. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** davit's own face of zod counts as a library: the stub uses the same schemas of it. */
const zodFile = './functions/zod.ts';

/**
 * Bundles a module that imports what a function's own files import from packages, and has nothing else of davit: the
 * least that the function can take with these libraries.
 *
 * @param metafile what went into the function's bundle
 * @param folder absolute
 */
export function bundleStub({ outputs }: Metafile, folder: string): void {
  const inputs = Object.entries(outputs).flatMap(([path, { inputs: found }]) =>
    path.endsWith(bundleFile) ? Object.entries(found) : [],
  );
  const own = inputs.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && /^functions\/.*\.ts$/.test(path));
  const imports = importsOf(own.map(([path]) => readFileSync(join(rootFolder, path), 'utf8')));
  buildSync({
    ...bundleOptions,
    absWorkingDir: rootFolder,
    stdin: { contents: moduleOf(imports), resolveDir: rootFolder, loader: 'js' },
    outfile: join(folder, bundleFile),
  });
}

function importsOf(sources: readonly string[]): Imports {
  const found = new Map<string, Set<string>>();
  const add = (from: string, name: string) => found.set(from, (found.get(from) ?? new Set()).add(name));
  for (const source of sources) {
    for (const [, names = '', from = ''] of source.matchAll(/^import \{([^}]+)\} from '([^.'][^']*)';$/gm)) {
      for (const name of names.split(',').map((one) => one.trim())) {
        if (name !== '' && !name.startsWith('type ')) add(from, name.replace(/ as .*/, ''));
      }
    }
    if (/^import \* as z from '[./]+\/zod\.ts';$/m.test(source)) {
      for (const [, name = ''] of source.matchAll(/\bz\.([a-z]\w*)\(/g)) add(zodFile, name);
    }
  }
  return found;
}

function moduleOf(imports: Imports): string {
  const named = [...imports].map(([from, names], at) => ({ from, names: [...names], prefix: `import${at}` }));
  const lines = named.map(({ from, names, prefix }) => {
    return `import { ${names.map((name) => `${name} as ${prefix}_${name}`).join(', ')} } from '${from}';`;
  });
  const used = named.flatMap(({ names, prefix }) => names.map((name) => `${prefix}_${name}`));
  return `${lines.join('\n')}\nglobalThis.used = [${used.join(', ')}];\n`;
}

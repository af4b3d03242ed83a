import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleFile, bundleOptions, entryPointOf, rootFolder } from '../../cdk/bundling.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';

/** The names that a function uses of packages, by package. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** davit's own module for zod counts as a library: the stub uses the same schemas. */
const zodFile = './core/zod.ts';

/**
 * Bundles a module that has only the imports of a function's own code from packages, and nothing else of davit: the
 * minimum cost of the function with these libraries. Code that the function's bundle leaves out imports nothing here,
 * either.
 *
 * @param folder absolute
 * @param options.makesClients whether it also makes one client of each AWS service, and the logger, as every function
 *   with these libraries has to
 */
export function bundleStub(
  functionName: FunctionName,
  folder: string,
  { makesClients }: { makesClients: boolean },
): void {
  const imports = importsOf(ownCode(functionName));
  buildSync({
    ...bundleOptions,
    absWorkingDir: rootFolder,
    stdin: { contents: moduleOf(imports, makesClients), resolveDir: rootFolder, loader: 'js' },
    outfile: join(folder, bundleFile),
  });
}

/** Bundles the function's own files, without those of packages. */
function ownCode(functionName: FunctionName): string {
  const { outputFiles } = buildSync({
    ...bundleOptions,
    absWorkingDir: rootFolder,
    entryPoints: [entryPointOf(functionName)],
    packages: 'external',
    external: ['*/zod.ts'],
    alias: {},
    minify: false,
    sourcemap: false,
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('\n');
}

function importsOf(code: string): Imports {
  const found = new Map<string, Set<string>>();
  const add = (from: string, name: string) => found.set(from, (found.get(from) ?? new Set()).add(name));
  for (const [, names = '', from = ''] of code.matchAll(/^import \{([^}]+)\} from "([^"]+)";$/gm)) {
    for (const name of names.split(',')) add(from, name.trim().replace(/ as .*/, ''));
  }
  for (const [, zod = ''] of code.matchAll(/^import \* as (\w+) from "[./]+\/zod\.ts";$/gm)) {
    for (const [, name = ''] of code.matchAll(new RegExp(`\\b${zod}\\.(\\w+)`, 'g'))) add(zodFile, name);
  }
  return found;
}

function moduleOf(imports: Imports, makesClients: boolean): string {
  const named = [...imports].map(([from, names], at) => ({ from, names: [...names], prefix: `import${at}` }));
  const lines = named.map(({ from, names, prefix }) => {
    return `import { ${names.map((name) => `${name} as ${prefix}_${name}`).join(', ')} } from '${from}';`;
  });
  const used = named.flatMap(({ from, names, prefix }) =>
    names.flatMap((name) => {
      const imported = `${prefix}_${name}`;
      return makesClients ? [imported, ...madeOf(from, name, imported)] : [imported];
    }),
  );
  return `${lines.join('\n')}\nglobalThis.used = [${used.join(', ')}];\n`;
}

/** The settings that keep a client from looking for its region and its credentials, as davit's do. */
const clientSettings =
  "{ region: 'eu-central-1', credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }) }";

/** Returns the code that makes an imported class's object, if it is a client of AWS or the logger. */
function madeOf(from: string, name: string, imported: string): string[] {
  if (from.startsWith('@aws-sdk/client-') && name.endsWith('Client')) return [`new ${imported}(${clientSettings})`];
  return name === 'Logger' ? [`new ${imported}()`] : [];
}

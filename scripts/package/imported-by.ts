import { buildSync } from 'esbuild';

/** What entry points import, and what that imports. */
export interface Imported {
  /** The package's own modules, from its folder, the entry points among them. */
  modules: ReadonlySet<string>;
  /** The packages: `@aws-sdk/client-sfn`. */
  packages: ReadonlySet<string>;
}

/** @param folder the package's. @param entryPoints modules in it */
export function importedBy(folder: string, entryPoints: readonly string[]): Imported {
  const { metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: [...entryPoints],
    bundle: true,
    write: false,
    outdir: '/',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    logLevel: 'error',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.filter(({ external }) => external));
  return {
    modules: new Set(Object.keys(metafile.inputs)),
    packages: new Set(imports.flatMap(({ path }) => packageOf(path) ?? [])),
  };
}

function packageOf(specifier: string): string | undefined {
  return /^(@[^/]+\/[^/]+|[^/:]+)(\/|$)/.exec(specifier)?.[1];
}

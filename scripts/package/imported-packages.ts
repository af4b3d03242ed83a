import { buildSync } from 'esbuild';

/** Lists the packages that modules import, and the modules that those import: `@aws-sdk/client-sfn`. */
export function importedPackages(entryPoints: readonly string[]): ReadonlySet<string> {
  const { metafile } = buildSync({
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
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ external }) => external),
  );
  return new Set(imports.map(({ path }) => packageOf(path)).filter((name) => name !== undefined));
}

function packageOf(specifier: string): string | undefined {
  return /^(@[^/]+\/[^/]+|[^/:]+)(\/|$)/.exec(specifier)?.[1];
}

import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Lists the folders of the packages that a bundle contains. @param workingFolder that of the build */
export function packageFolders({ inputs }: Metafile, workingFolder: string): string[] {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*\/node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(join(workingFolder, path))?.slice(0, 1) ?? [],
  );
  return [...new Set(folders)];
}

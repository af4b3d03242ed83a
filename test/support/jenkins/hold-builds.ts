import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Builds that run until the test lets them end. */
export interface HeldBuilds extends AsyncDisposable {
  /** For the shell of each build. */
  script: string;
  /** Lets every build end, also one that starts later. */
  release(): Promise<void>;
}

/** Makes a script that waits until the test releases it. Disposal releases it, too. */
export async function holdBuilds(): Promise<HeldBuilds> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-held-'));
  const file = join(directory, 'go');
  return {
    script: `until [ -e ${file} ] || ! [ -d ${directory} ]; do sleep 0.05; done`,
    release: () => writeFile(file, ''),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

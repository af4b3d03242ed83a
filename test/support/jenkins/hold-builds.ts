import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Builds that run until the test lets them end. */
export interface HeldBuilds extends AsyncDisposable {
  /** For the shell of each build. */
  script: string;
  /** Lets them end, those of the future, too. */
  release(): Promise<void>;
}

/** Makes a script whose builds wait for the test. */
export async function holdBuilds(): Promise<HeldBuilds> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-held-'));
  const file = join(directory, 'go');
  return {
    script: `until [ -e ${file} ] || ! [ -d ${directory} ]; do sleep 0.05; done`,
    release: () => writeFile(file, ''),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

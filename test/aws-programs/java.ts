import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from '../../scripts/run-process.ts';
import { isThere } from '../cluster/is-there.ts';

/** The programs that AWS publishes as Java libraries: each has a folder here with the `pom.xml` that names it. */
export type AwsProgram = 'dynamodb-local' | 'event-ruler';

/** Where the libraries are kept, ignored by git. */
const cacheFolder = join(import.meta.dirname, '../../.aws-programs');
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** Says what to install when a program that the suites need cannot be run, and undefined when all can. */
export async function missingJava(): Promise<string | undefined> {
  const missing: string[] = [];
  for (const program of ['java', 'javac', 'mvn']) {
    const found = await runProcess(program, ['-version'], { cwd: tmpdir() }).catch(() => undefined);
    if (found?.exitCode !== 0) missing.push(program);
  }
  if (missing.length === 0) return undefined;
  return `there is no ${missing.join(', no ')} (Debian: apt-get install default-jdk-headless maven)`;
}

/**
 * Fetches a program's libraries by Maven, once for each content of its `pom.xml`.
 *
 * @returns the folder that they are in
 * @throws Error with Maven's words when it fails
 */
export async function fetchLibraries(program: AwsProgram): Promise<string> {
  const pom = join(import.meta.dirname, program, 'pom.xml');
  const hash = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex');
  const libraries = join(cacheFolder, `${program}-${hash.slice(0, 16)}`);
  if (await isThere(libraries)) return libraries;

  await mkdir(cacheFolder, { recursive: true });
  // Maven copies to a folder beside it: a run that is stopped half-way leaves nothing that looks complete.
  const partial = await mkdtemp(`${libraries}-`);
  const args = ['--batch-mode', '--quiet', '--file', pom, copyDependencies, `-DoutputDirectory=${partial}`];
  const { exitCode, output } = await runProcess('mvn', args, { cwd: cacheFolder });
  if (exitCode === 0) await rename(partial, libraries);
  else await rm(partial, { recursive: true });
  if (exitCode !== 0) throw new Error(`Maven cannot fetch what ${pom} names:\n${output}`);
  return libraries;
}

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from '../../../scripts/run-process.ts';
import { isThere } from '../cluster/is-there.ts';

/** The programs that AWS publishes as Java libraries. Each has a folder here with its `pom.xml`. */
export type AwsProgram = 'dynamodb-local' | 'event-ruler';

/** The git-ignored folder of the libraries. */
const cacheFolder = join(import.meta.dirname, '../../../.aws-programs');
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** The installation advice when a required program is missing; undefined when all are present. */
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
 * Downloads a program's libraries with Maven, once for each content of its `pom.xml`.
 *
 * @returns the folder of the libraries
 * @throws Error with Maven's output when it fails
 */
export async function fetchLibraries(program: AwsProgram): Promise<string> {
  const pom = join(import.meta.dirname, program, 'pom.xml');
  const hash = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex');
  const libraries = join(cacheFolder, `${program}-${hash.slice(0, 16)}`);
  if (await isThere(libraries)) return libraries;

  await mkdir(cacheFolder, { recursive: true });
  // Maven copies to a temporary folder: an interrupted run leaves nothing that looks complete.
  const partial = await mkdtemp(`${libraries}-`);
  const args = ['--batch-mode', '--quiet', '--file', pom, copyDependencies, `-DoutputDirectory=${partial}`];
  const { exitCode, output } = await runProcess('mvn', args, { cwd: cacheFolder });
  if (exitCode === 0) await rename(partial, libraries);
  else await rm(partial, { recursive: true });
  if (exitCode !== 0) throw new Error(`Maven cannot download the libraries of ${pom}:\n${output}`);
  return libraries;
}

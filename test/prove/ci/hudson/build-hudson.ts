import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../../cluster/is-there.ts';
import { root, run } from '../../cluster/run.ts';

/** A Hudson that is ready to start. */
export interface BuiltHudson {
  /** The folder of `HudsonLauncher.class`. */
  classes: string;
  war: string;
  /** The plugin with the calls that Jenkins has and Hudson has not. */
  plugin: string;
}

const sources = join(root, 'test/prove/ci/hudson');
const sourceFiles = ['HudsonLauncher.java', 'JenkinsCalls.java', 'manifest.txt'];
const artifact = 'org.eclipse.hudson:hudson-war:3.3.2:war';
const warSha256 = '29db3f39025edbd547f445a9d46b9a9eff9ddf1411cde2adc8b52b3503f9536c';
const copyArtifact = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
/** Git-ignored, beside the other servers that the tests build. */
const builtDirectory = join(root, '.davit-cluster');

/**
 * Fetches Hudson from Maven Central, 31 MB, and compiles the tests' own classes for it. Later calls use the cache.
 *
 * @throws Error with the output of Maven or of the compiler, or when the archive is not the expected one
 */
export async function buildHudson(onProgress: (text: string) => void): Promise<BuiltHudson> {
  const directory = join(builtDirectory, `hudson-${await hashOfSources()}`);
  const inDirectory = (folder: string): BuiltHudson => ({
    classes: join(folder, 'classes'),
    war: join(folder, 'hudson-war-3.3.2.war'),
    plugin: join(folder, 'jenkins-calls.hpi'),
  });
  if (await isThere(directory)) return inDirectory(directory);

  onProgress('fetches Hudson from Maven Central: 31 MB, once');
  await mkdir(builtDirectory, { recursive: true });
  const partial = await mkdtemp(`${directory}-`);
  await run('mvn', ['--batch-mode', '--quiet', copyArtifact, `-Dartifact=${artifact}`, `-DoutputDirectory=${partial}`]);
  await compile(partial, inDirectory(partial));
  await rename(partial, directory);
  return inDirectory(directory);
}

/** Hudson's class loader reads class files up to those of Java 8. */
async function compile(directory: string, { classes, war, plugin }: BuiltHudson): Promise<void> {
  const sha256 = createHash('sha256')
    .update(await readFile(war))
    .digest('hex');
  if (sha256 !== warSha256) throw new Error(`${artifact} has the SHA-256 ${sha256}, not ${warSha256}`);
  const javac = ['-nowarn', '--release', '8', '-Xlint:-options', '-proc:none'];
  const pluginClasses = join(directory, 'plugin', 'WEB-INF', 'classes');
  await mkdir(pluginClasses, { recursive: true });
  await run('javac', [...javac, '-d', classes, join(sources, 'HudsonLauncher.java')]);
  await run('sh', ['-c', 'cd "$1" && jar xf "$2" WEB-INF/lib', 'sh', directory, war]);
  const libraries = join(directory, 'WEB-INF', 'lib', '*');
  await run('javac', [...javac, '-cp', libraries, '-d', pluginClasses, join(sources, 'JenkinsCalls.java')]);
  await run('jar', ['cfm', plugin, join(sources, 'manifest.txt'), '-C', join(directory, 'plugin'), '.']);
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(artifact);
  for (const name of sourceFiles) hash.update(await readFile(join(sources, name)));
  return hash.digest('hex').slice(0, 16);
}

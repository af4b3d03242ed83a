import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce, builtDirectory, hashOf } from '../../cluster/programs/programs.ts';
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

/**
 * Fetches Hudson from Maven Central, 31 MB, and compiles the tests' own classes for it. Later calls use the cache.
 *
 * @throws Error with the output of Maven or of the compiler, or when the archive is not the expected one
 */
export async function buildHudson(): Promise<BuiltHudson> {
  const directory = join(builtDirectory, `hudson-${await hashOf(artifact, sources, sourceFiles)}`);
  return builtIn(await buildOnce(directory, buildAt, 'Hudson, from Maven Central: 31 MB, once'));
}

async function buildAt(folder: string): Promise<void> {
  await run('mvn', ['--batch-mode', '--quiet', copyArtifact, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
  await compile(folder, builtIn(folder));
}

function builtIn(folder: string): BuiltHudson {
  return {
    classes: join(folder, 'classes'),
    war: join(folder, 'hudson-war-3.3.2.war'),
    plugin: join(folder, 'jenkins-calls.hpi'),
  };
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

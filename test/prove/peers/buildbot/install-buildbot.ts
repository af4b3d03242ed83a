import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../../cluster/is-there.ts';
import { builtDirectory } from '../../cluster/programs/programs.ts';
import { type Missing, missingPrograms } from '../../cluster/programs/requirements.ts';
import { root, run } from '../../cluster/run.ts';
import { say } from '../../cluster/say.ts';

/** The folder of Buildbot's configuration. */
export const buildbotFolder = join(root, 'test/prove/peers/buildbot');

/** A virtualenv with Buildbot. */
export interface InstalledBuildbot {
  /** Its folder. */
  virtualenv: string;
  versions: { buildbot: string; python: string };
  /** The folder of the Python that the virtualenv uses. */
  pythonFolder: string;
}

/** What Buildbot needs and this machine lacks. */
export function missingForBuildbot(): Promise<Missing[]> {
  return missingPrograms([
    { what: 'python3', get: 'apt-get install python3 python3-venv' },
    { what: 'git', get: 'apt-get install git' },
  ]);
}

/**
 * Installs Buildbot by requirements.txt, each package by its hash, into a virtualenv beside the cluster's programs. Later
 * calls use it.
 *
 * @throws Error with the output of Python's tools
 */
export async function installBuildbot(): Promise<InstalledBuildbot> {
  const requirements = join(buildbotFolder, 'requirements.txt');
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 16);
  const virtualenv = join(builtDirectory, `buildbot-${hash}`);
  const python = join(virtualenv, 'bin', 'python');
  const complete = join(virtualenv, 'complete');
  if (!(await isThere(complete))) {
    say('installs Buildbot: about a minute, once');
    await rm(virtualenv, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', virtualenv]);
    const options = ['--quiet', '--disable-pip-version-check', '--require-hashes', '--requirement', requirements];
    await run(python, ['-m', 'pip', 'install', ...options]);
    await writeFile(complete, '');
  }
  const script =
    'import buildbot, platform, sys; print(buildbot.version, platform.python_version(), sys.base_prefix, sep="\\n")';
  const [buildbot = '', version = '', pythonFolder = ''] = (await run(python, ['-c', script])).trim().split('\n');
  return { virtualenv, versions: { buildbot, python: version }, pythonFolder };
}

import { createHash } from 'node:crypto';
import { readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { davitVersion } from '../../../core/version.ts';
import { isThere } from '../cluster/is-there.ts';
import { builtDirectory } from '../cluster/programs/programs.ts';
import { root, run } from '../cluster/run.ts';

/** The name of the image that the tests install, without a tag. */
export const imageName = 'davit.dev/davit';

/** What Node.js, npm and a script need. */
const debianPackages = ['base-files', 'coreutils', 'dash', 'libc6', 'libstdc++6'];
const base = 'localhost/davit-base';
const authorities = '/etc/ssl/certs/ca-certificates.crt';
/** Needs no daemon, no registry and no rights to make namespaces. */
const isolation = ['--isolation', 'chroot'];

/**
 * Builds the image from the repository's Dockerfile and the packed package. Its base, which no registry gives here, is made of
 * Debian's packages and this machine's Node.js and npm.
 *
 * @returns the path of an archive as `docker save` writes it
 * @throws Error with the output of the program that failed
 */
export async function buildImage(): Promise<string> {
  await run(process.execPath, ['scripts/package.ts']);
  const path = join(builtDirectory, `image-davit-${await hashOfSources()}.tar`);
  if (await isThere(path)) return path;
  await buildBase();
  const image = `${imageName}:${davitVersion}`;
  // npm reads the registry over this machine's network.
  const options = [...isolation, '--network', 'host', '--pull-never', '--build-arg', `BASE=${base}`];
  await buildah('build', ...options, '--tag', image, root);
  const partial = `${path}.${process.pid}`;
  await buildah('push', '--quiet', image, `docker-archive:${partial}:${image}`);
  await rename(partial, path);
  return path;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(debianPackages.join()).update(process.version);
  const archive = join('dist', `davit-ci-davit-${davitVersion}.tgz`);
  for (const name of ['Dockerfile', archive]) hash.update(await readFile(join(root, name)));
  return hash.digest('hex').slice(0, 16);
}

async function buildBase(): Promise<void> {
  const debian = join(builtDirectory, `debian-${process.pid}.tar`);
  await run('mmdebstrap', ['--quiet', '--variant=extract', `--include=${debianPackages.join()}`, 'bookworm', debian]);
  const container = (await buildah('from', 'scratch')).trim();
  try {
    await buildah('add', '--quiet', container, debian, '/');
    await buildah('copy', '--quiet', container, process.execPath, '/usr/local/bin/node');
    await buildah('copy', '--quiet', container, await npmFolder(), '/usr/local/lib/node_modules/npm');
    await buildah(
      'run',
      ...isolation,
      container,
      '--',
      'ln',
      '-s',
      '../lib/node_modules/npm/bin/npm-cli.js',
      '/usr/local/bin/npm',
    );
    if (await isThere(authorities)) await buildah('copy', '--quiet', container, authorities, authorities);
    await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, container);
    await buildah('commit', '--quiet', container, base);
  } finally {
    await buildah('rm', container);
    await rm(debian, { force: true });
  }
}

/** The folder of the npm that this machine runs. */
async function npmFolder(): Promise<string> {
  const program = (await run('sh', ['-c', 'command -v npm'])).trim();
  return dirname(dirname(await realpath(program)));
}

/** Runs buildah with a store of its own. */
function buildah(...args: string[]): Promise<string> {
  const store = join(builtDirectory, 'containers');
  return run('buildah', ['--root', store, '--runroot', join(store, 'run'), ...args]);
}

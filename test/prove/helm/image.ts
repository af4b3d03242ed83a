import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { davitVersion } from '../../../core/version.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { isThere } from '../cluster/is-there.ts';
import type { NodePlan } from '../cluster/plan.ts';
import { builtDirectory } from '../cluster/programs/programs.ts';
import { root, run } from '../cluster/run.ts';

/** The name of the image that the tests install, without a tag. */
export const imageName = 'davit.dev/davit';

/** The architectures of the published image, as images name them. */
export type Architecture = 'amd64' | 'arm64';

/** What Node.js, npm and a script need. */
const debianPackages = ['base-files', 'coreutils', 'dash', 'libc6', 'libstdc++6'];
const authorities = '/etc/ssl/certs/ca-certificates.crt';
/** Needs no daemon, no registry and no rights to make namespaces. */
const isolation = ['--isolation', 'chroot'];
/** The architecture of this machine, which installs the package for every other one. */
const ownArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/**
 * Builds the image from the repository's Dockerfile and the packed package. Its base, which no registry gives here, is made of
 * Debian's packages, Node.js from npm's registry, and this machine's npm.
 *
 * @param architecture of the image. Nothing of another architecture than this machine's is run. @default this machine's
 * @returns the path of an archive as `docker save` writes it
 * @throws Error with the output of the program that failed
 */
export async function buildImage(architecture = ownArchitecture): Promise<string> {
  await run(process.execPath, ['scripts/package.ts']);
  const path = join(builtDirectory, `image-davit-${architecture}-${await hashOfSources()}.tar`);
  if (await isThere(path)) return path;
  for (const each of new Set([ownArchitecture, architecture])) await buildBase(each);
  const image = `${imageName}:${davitVersion}`;
  // npm reads the registry over this machine's network.
  const network = [...isolation, '--network', 'host', '--pull-never'];
  const platform = `linux/${architecture}`;
  // This buildah knows neither platform by itself.
  const platforms = [`BUILDPLATFORM=linux/${ownArchitecture}`, `TARGETPLATFORM=${platform}`];
  const bases = [`BASE=${baseOf(architecture)}`, `INSTALL_BASE=${baseOf(ownArchitecture)}`];
  const values = [...platforms, ...bases].flatMap((each) => ['--build-arg', each]);
  await buildah('build', ...network, '--platform', platform, ...values, '--tag', image, root);
  const partial = `${path}.${process.pid}`;
  await buildah('push', '--quiet', image, `docker-archive:${partial}:${image}`);
  await rename(partial, path);
  return path;
}

/** Gives an image's archive to a node, which then needs no registry for it. */
export async function importImage({ runOn }: Pick<Cluster, 'runOn'>, node: NodePlan, archive: string): Promise<void> {
  await runOn(node, 'ctr', ['--namespace', 'k8s.io', 'images', 'import', archive]);
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(debianPackages.join()).update(process.version);
  const archive = join('dist', `davit-ci-davit-${davitVersion}.tgz`);
  for (const name of ['Dockerfile', archive]) hash.update(await readFile(join(root, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Each architecture has a base image of its own: of a list of them, this buildah takes the wrong one. */
function baseOf(architecture: Architecture): string {
  return `localhost/davit-base-${architecture}`;
}

async function buildBase(architecture: Architecture): Promise<void> {
  const folder = await mkdtemp(join(builtDirectory, 'base-'));
  const debian = join(folder, 'debian.tar');
  const extract = ['--quiet', '--variant=extract', `--architectures=${architecture}`];
  await run('mmdebstrap', [...extract, `--include=${debianPackages.join()}`, 'bookworm', debian]);
  // Of a folder, buildah copies the links as they are.
  const links = join(folder, 'links');
  await mkdir(links);
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(links, 'npm'));
  const container = (await buildah('from', '--arch', architecture, 'scratch')).trim();
  try {
    await buildah('add', '--quiet', container, debian, '/');
    await buildah('copy', '--quiet', container, await nodeFor(architecture, folder), '/usr/local/bin/node');
    await buildah('copy', '--quiet', container, await npmFolder(), '/usr/local/lib/node_modules/npm');
    await buildah('copy', '--quiet', container, links, '/usr/local/bin');
    if (await isThere(authorities)) await buildah('copy', '--quiet', container, authorities, authorities);
    await buildah('config', '--arch', architecture, '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, container);
    await buildah('commit', '--quiet', container, baseOf(architecture));
  } finally {
    await buildah('rm', container);
    await rm(folder, { recursive: true });
  }
}

/** The program of Node.js for an architecture: this machine's, or the same version from npm's registry. */
async function nodeFor(architecture: Architecture, folder: string): Promise<string> {
  if (architecture === ownArchitecture) return process.execPath;
  const name = `node-linux-${architecture === 'amd64' ? 'x64' : architecture}@${process.versions.node}`;
  const archive = (await run('npm', ['pack', '--silent', '--pack-destination', folder, name])).trim();
  await run('tar', ['--extract', '--gzip', '--file', join(folder, archive), '--directory', folder]);
  return join(folder, 'package/bin/node');
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

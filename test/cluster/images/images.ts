import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { isThere } from '../is-there.ts';
import { root, run } from '../run.ts';
import { type Image, writeDockerArchive } from './docker-archive.ts';

/** What the kubelet runs in each Pod beside its containers: a process that does nothing, and keeps the network. */
export const pauseImage = 'davit.dev/pause:1';

/** A shell and its tools, of which each test makes what it needs; it ends at once when it is told to. */
export const idleImage = 'davit.dev/idle:1';

/** The reference agent, as the demo runs it. */
export const agentImage = 'davit.dev/reference-agent:latest';

const busybox = '/bin/busybox';
const archives = join(root, '.davit-cluster');
const endsAtOnce = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

/**
 * Writes the images that are not there yet.
 *
 * @returns their archives' paths
 */
export async function buildImages(): Promise<string[]> {
  const shell = { [busybox]: await pathOf('busybox'), '/bin/sh': await pathOf('busybox') };
  const images: Image[] = [
    { name: pauseImage, files: shell, entrypoint: [busybox, 'sleep', '2147483647'] },
    {
      name: idleImage,
      aliases: ['davit.dev/idle:latest'],
      files: shell,
      entrypoint: ['/bin/sh', '-c', endsAtOnce],
    },
    {
      name: agentImage,
      files: { ...shell, ...(await nodeFiles()), '/agent.mjs': await bundleAgent() },
      entrypoint: [process.execPath, '/agent.mjs'],
    },
  ];
  return Promise.all(images.map(archiveOf));
}

/** The image's archive, kept under a hash of all that is in it. */
async function archiveOf(image: Image): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(image));
  for (const file of Object.values(image.files)) hash.update(await readFile(file));
  const [, name = ''] = /([^/:]+):/.exec(image.name) ?? [];
  const path = join(archives, `image-${name}-${hash.digest('hex').slice(0, 16)}.tar`);
  if (!(await isThere(path))) await writeDockerArchive(image, path);
  return path;
}

/** The agent and all that it imports, in one file. */
async function bundleAgent(): Promise<string> {
  const outfile = join(archives, 'agent.mjs');
  const entry = join(root, 'local', 'agent', 'agent.ts');
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' });
  return outfile;
}

/** The Node that runs this, and the libraries that it is linked with, at the places where it looks for them. */
async function nodeFiles(): Promise<Record<string, string>> {
  const listed = await run('ldd', [process.execPath]);
  const libraries = listed.match(/\/\S+\.so\.\d+/g) ?? [];
  return Object.fromEntries([process.execPath, ...libraries].map((path) => [path, path]));
}

async function pathOf(program: string): Promise<string> {
  return (await run('sh', ['-c', `command -v ${program}`])).trim();
}

import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../run.ts';

/** A container image with one layer. */
export interface Image {
  /** With a tag, for example `davit.dev/pause:1`. */
  name: string;
  /** More names of the same image. */
  aliases?: readonly string[];
  /** Its files: the path in the image, and the source on this machine. */
  files: Readonly<Record<string, string>>;
  /** The ENTRYPOINT: a container's `command` replaces it, and its `args` are appended. */
  entrypoint: readonly string[];
}

/**
 * Writes an image as `docker save` does, for `ctr images import`: the cluster has no registry.
 *
 * @see https://github.com/moby/moby/blob/master/image/spec/spec.md
 */
export async function writeDockerArchive(image: Image, path: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'davit-image-'));
  try {
    const tree = join(work, 'tree');
    await mkdir(join(tree, 'tmp'), { recursive: true });
    for (const [target, source] of Object.entries(image.files)) {
      const file = join(tree, target);
      await mkdir(dirname(file), { recursive: true });
      await copyFile(source, file);
      await chmod(file, 0o755);
    }
    const contents = join(work, 'contents');
    await mkdir(contents);
    await tar(tree, join(contents, 'layer.tar'));
    const layer = await sha256(join(contents, 'layer.tar'));
    await writeFile(join(contents, 'config.json'), JSON.stringify(configOf(image, layer)));
    const manifest = [
      { Config: 'config.json', RepoTags: [image.name, ...(image.aliases ?? [])], Layers: ['layer.tar'] },
    ];
    await writeFile(join(contents, 'manifest.json'), JSON.stringify(manifest));
    await tar(contents, path);
  } finally {
    await rm(work, { recursive: true });
  }
}

function configOf({ entrypoint }: Image, layer: string): object {
  return {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Entrypoint: entrypoint, Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
  };
}

/** Uses a constant owner and time: equal files make an equal image. */
function tar(directory: string, path: string): Promise<string> {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  return run('tar', ['--create', '--file', path, ...same, '--directory', directory, '.']);
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

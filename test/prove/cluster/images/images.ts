import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { containerCommand } from '../../../../local/agent/image.ts';
import { buildActRunner, buildOnce, builtDirectory } from '../programs/programs.ts';
import { root, run } from '../run.ts';
import { type Image, writeDockerArchive } from './docker-archive.ts';

/** The kubelet's sandbox image: a process that does nothing, and holds a Pod's network. */
export const pauseImage = 'davit.dev/pause:1';

/** A shell and its tools, for containers with a test's own script. It ends at once on SIGTERM. */
export const idleImage = 'davit.dev/idle:1';

/** The reference agent, as in the demo. */
export const agentImage = 'davit.dev/reference-agent:latest';

/** A stand-in for Gitea's runner image: a shell, and a program `act_runner`. */
export const runnerImage = 'davit.dev/act-runner:latest';

const busybox = '/bin/busybox';
const endsAtOnce = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

/** @returns the paths of all archives */
export async function buildImages(): Promise<string[]> {
  const shell = { [busybox]: await pathOf('busybox'), '/bin/sh': await pathOf('busybox') };
  // The preset needs curl: busybox's wget may be linked so that it resolves no names in a container.
  const curl = await linkedFiles(await pathOf('curl'));
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
      aliases: [runnerImage],
      files: {
        ...shell,
        ...(await linkedFiles(process.execPath)),
        ...curl,
        '/bin/curl': await pathOf('curl'),
        '/agent.mjs': await bundle(join('local', 'agent', 'agent.ts')),
        '/bin/act_runner': await buildActRunner(),
      },
      entrypoint: containerCommand,
    },
  ];
  return Promise.all(images.map(archiveOf));
}

/** The image's archive, cached under a hash of its content. */
async function archiveOf(image: Image): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(image));
  for (const file of Object.values(image.files)) hash.update(await readFile(file));
  const [, name = ''] = /([^/:]+):/.exec(image.name) ?? [];
  const path = join(builtDirectory, `image-${name}-${hash.digest('hex').slice(0, 16)}.tar`);
  return buildOnce(path, (partial) => writeDockerArchive(image, partial));
}

/** A program and all of its imports, in one file. */
async function bundle(program: string): Promise<string> {
  const outfile = join(builtDirectory, basename(program).replace(/\.ts$/, '.mjs'));
  const entry = join(root, program);
  // Its CommonJS packages require Node's own modules.
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const options = { bundle: true, platform: 'node', format: 'esm', banner: { js }, logLevel: 'error' } as const;
  await build({ ...options, entryPoints: [entry], outfile });
  return outfile;
}

/** One of this machine's programs at its own path, and its shared libraries at the paths where it looks for them. */
async function linkedFiles(program: string): Promise<Record<string, string>> {
  const listed = await run('ldd', [program]);
  const libraries = listed.match(/\/\S+\.so(\.\d+)*/g) ?? [];
  return Object.fromEntries([program, ...libraries].map((path) => [path, path]));
}

async function pathOf(program: string): Promise<string> {
  return (await run('sh', ['-c', `command -v ${program}`])).trim();
}

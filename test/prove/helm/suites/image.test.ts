import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Architecture, buildImage } from '../image.ts';

/** `e_machine` of an ELF file's header. */
const elfMachines: Readonly<Record<Architecture, number>> = { amd64: 62, arm64: 183 };

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

/** Unpacks an image: its configuration, and its files by their paths. */
async function unpack(archive: string) {
  const folder = await mkdtemp(join(tmpdir(), 'davit-image-'));
  folders.push(folder);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const read = (path: string) => execFileSync('cat', [join(folder, path)]);
  const json = (path: string): unknown => JSON.parse(read(path).toString());
  const [image] = z.tuple([z.object({ Config: z.string(), Layers: z.array(z.string()) })]).parse(json('manifest.json'));
  const config = z.object({ architecture: z.string(), config: z.record(z.string(), z.unknown()) });
  const layers = image.Layers.map((layer) => join(folder, layer));
  return {
    ...config.parse(json(image.Config)),
    davitFiles: layers.flatMap((layer) => lines('tar', ['-tf', layer, '--wildcards', 'opt/davit/*'])).toSorted(),
    machineOfNode: layers
      .map((layer) => tryRun('tar', ['-xOf', layer, 'usr/local/bin/node']))
      .find((node) => node.length > 0)
      ?.readUInt16LE(18),
  };
}

function tryRun(program: string, args: string[]): Buffer {
  try {
    return execFileSync(program, args, { maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // A layer without such a file.
    return Buffer.alloc(0);
  }
}

function lines(program: string, args: string[]): string[] {
  return tryRun(program, args).toString().split('\n').filter(Boolean);
}

test('the image for arm64 has the same davit and settings as the one for amd64, and a Node.js of its own', async () => {
  const amd64 = await unpack(await buildImage('amd64'));
  const arm64 = await unpack(await buildImage('arm64'));

  expect([amd64.architecture, arm64.architecture]).toEqual(['amd64', 'arm64']);
  expect([amd64.machineOfNode, arm64.machineOfNode]).toEqual([elfMachines.amd64, elfMachines.arm64]);
  expect(amd64.davitFiles).toContain('opt/davit/bin/davit');
  expect(arm64.davitFiles).toEqual(amd64.davitFiles);
  expect(arm64.config).toEqual(amd64.config);
  expect(arm64.config).toMatchObject({ User: '1000:1000', Entrypoint: ['davit'] });
}, 1_200_000);

import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../../../local/runtime/private-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-private-'));
});
afterEach(() => rm(directory, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

test('a directory is made private, with those above it, and an existing one, too', async () => {
  const [fresh, existing] = [join(directory, 'a', 'b'), join(directory, 'c')];
  await mkdir(existing);
  await chmod(existing, 0o755);

  await makePrivateDirectory(fresh);
  await makePrivateDirectory(existing);

  expect([await modeOf(fresh), await modeOf(existing)]).toEqual(['700', '700']);
});

test('a directory that all users share, such as /tmp, is refused and stays as it is', async () => {
  const shared = join(directory, 'tmp');
  await mkdir(shared);
  await chmod(shared, 0o1777);

  await expect(makePrivateDirectory(shared)).rejects.toThrow(`${shared}: all users share it; name a directory in it`);

  expect(await modeOf(shared)).toBe('1777');
});

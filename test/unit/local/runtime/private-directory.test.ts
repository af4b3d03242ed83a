import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../../../local/runtime/private-directory.ts';
import { newFolder } from '../../../support/new-folder.ts';

let directory: string;
beforeEach(() => {
  directory = newFolder();
});

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

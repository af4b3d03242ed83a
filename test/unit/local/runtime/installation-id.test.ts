import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptInstallationId } from '../../../../local/runtime/installation-id.ts';
import { newFolder } from '../../../support/new-folder.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

test('an installation keeps its id', async () => {
  const path = join(folder, 'installation-id');

  const made = await keptInstallationId(path);

  expect(made).toMatch(/^[0-9a-f]{8}$/);
  expect(await keptInstallationId(path)).toBe(made);
});

test('two installations have two ids', async () => {
  const ids = await Promise.all(['one', 'other'].map((name) => keptInstallationId(join(folder, name))));

  expect(ids[0]).not.toBe(ids[1]);
});

test('an id that cannot be written is an error', async () => {
  await expect(keptInstallationId(join(folder, 'none', 'installation-id'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each(['', 'davit-1', '0123456'])('a file with %j in it is refused, and stays', async (text) => {
  const path = join(folder, 'installation-id');
  await writeFile(path, text);

  await expect(keptInstallationId(path)).rejects.toThrow(
    `${path}: expected the installation's id, 8 of 0-9 and a-f, not ${JSON.stringify(text)}`,
  );
  expect(await readdir(folder)).toEqual(['installation-id']);
});

import { join } from 'node:path';
import { installationIdReader } from '../../../cli/api/installation-id.ts';
import { installationIdFile, keptInstallationId } from '../../../local/runtime/installation-id.ts';
import { newFolder } from '../../support/new-folder.ts';

const url = { kind: 'url', url: 'https://davit.example.com' } as const;
const state = { kind: 'state' } as const;

let directory: string;
beforeEach(() => (directory = newFolder()));

test.each([
  ['the caller has', state, true],
  ['the caller has, and that has not started yet', state, false],
  ['runs here, and has the URL', url, true],
])('a command knows the id of the davit that %s', async (_which, target, isLocal) => {
  const stateDirectory = join(directory, 'state');
  const read = installationIdReader({ target, isLocal, state: stateDirectory, region: undefined });

  const id = await read();

  expect(await keptInstallationId(join(stateDirectory, installationIdFile))).toBe(id);
});

test('a command does not know the id of a davit elsewhere, and makes up none', async () => {
  await keptInstallationId(join(directory, installationIdFile));
  const read = installationIdReader({ target: url, isLocal: false, state: directory, region: undefined });

  await expect(read()).rejects.toMatchObject({ name: 'KeptElsewhere' });
});

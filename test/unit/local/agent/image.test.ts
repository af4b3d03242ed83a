import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runnerImages } from '../../../../local/agent/image.ts';
import { newFolder } from '../../../support/new-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = newFolder();
  await mkdir(join(folder, 'empty'));
});

const searchPath = () => [join(folder, 'none'), join(folder, 'empty'), folder].join(delimiter);

test("the sandbox has Gitea's image where act_runner is on PATH and is executable", async () => {
  await writeFile(join(folder, 'act_runner'), '#!/bin/sh\n', { mode: 0o700 });

  expect(Object.keys(runnerImages(searchPath()))).toEqual(['gitea/act_runner:latest']);
});

test.each([
  ['is not there', async () => undefined],
  ['is not executable', () => writeFile(join(folder, 'act_runner'), '', { mode: 0o600 })],
])('it has none where act_runner %s', async (_what, arrange) => {
  await arrange();

  expect(runnerImages(searchPath())).toEqual({});
});

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeSite } from '../../../docs/.vitepress/complete-site.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'davit-site-'));
  await mkdir(join(folder, 'docs', 'recipes'), { recursive: true });
  await mkdir(join(folder, 'site', 'assets'), { recursive: true });
  await writeFile(join(folder, 'docs', 'recipes', 'slack.yaml'), 'Resources: {}\n');
  await writeFile(join(folder, 'site', 'assets', 'errors.md.x1.js'), 'export {}');
});
afterEach(() => rm(folder, { recursive: true }));

const complete = () => completeSite(join(folder, 'docs'), join(folder, 'site'));

test('a site gets the templates, and the scripts that its pages load first', async () => {
  await writeFile(join(folder, 'site', 'errors.html'), '<link href="/assets/errors.md.x1.lean.js"><a href="/cli">');

  complete();

  expect((await readdir(join(folder, 'site'), { recursive: true })).toSorted()).toEqual([
    'assets',
    'assets/errors.md.x1.js',
    'assets/errors.md.x1.lean.js',
    'errors.html',
    'recipes',
    'recipes/slack.yaml',
  ]);
});

test('a page that refers to a missing file fails the build', async () => {
  await writeFile(join(folder, 'site', 'errors.html'), '<script src="/assets/gone.js">');

  expect(complete).toThrow('errors.html: /assets/gone.js');
});

import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeSite } from '../../../docs/.vitepress/complete-site.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'davit-site-'));
  await mkdir(join(folder, 'examples', 'alerts'), { recursive: true });
  await mkdir(join(folder, 'site', 'assets'), { recursive: true });
  await mkdir(join(folder, 'site', 'guides'), { recursive: true });
  await writeFile(join(folder, 'examples', 'alerts', 'slack.yaml'), 'Resources: {}\n');
  await writeFile(join(folder, 'site', 'assets', 'errors.md.x1.js'), 'export {}');
});

const complete = () => completeSite(join(folder, 'examples'), join(folder, 'site'));

test('a site gets the examples, and the scripts that its pages load first', async () => {
  await writeFile(join(folder, 'site', 'errors.html'), '<link href="/assets/errors.md.x1.lean.js"><a href="/cli">');
  await writeFile(join(folder, 'site', 'guides', 'alerts.html'), '<a href="../../examples/alerts/slack.yaml">');

  complete();

  expect((await readdir(join(folder, 'site'), { recursive: true })).toSorted()).toEqual([
    'assets',
    'assets/errors.md.x1.js',
    'assets/errors.md.x1.lean.js',
    'errors.html',
    'examples',
    'examples/alerts',
    'examples/alerts/slack.yaml',
    'guides',
    'guides/alerts.html',
  ]);
});

test('a page that refers to a missing file fails the build', async () => {
  await writeFile(join(folder, 'site', 'guides', 'alerts.html'), '<a href="../../examples/alerts/gone.yaml">');

  expect(complete).toThrow('guides/alerts.html: /examples/alerts/gone.yaml');
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';
import { sidebarOf } from '../../../docs/.vitepress/sidebar.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const folder = join(rootFolder, 'docs');
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, markdown: readFileSync(join(folder, name), 'utf8') }));

test('the site has a link to each document, once, by its title', () => {
  const items = sidebarOf(pages).flatMap((group) => group.items);

  expect(new Set(items.map(({ link }) => link)).size).toBe(pages.length);
  expect(items).toHaveLength(pages.length);
  expect(items).toContainEqual({ text: 'Operating davit', link: '/operations' });
  expect(items).toContainEqual({ text: 'davit', link: '/' });
  expect(items.filter(({ text }) => text.endsWith('.md'))).toEqual([]);
});

test('a group that names a missing document fails the build', () => {
  expect(() => sidebarOf(pages.filter(({ name }) => name !== 'github.md'))).toThrow(/names github\.md/);
});

test('the first page has the version', () => {
  const { markdown } = pages.find(({ name }) => name === 'index.md') ?? { markdown: '' };

  expect(markdown).toContain(`Version ${packageJson.version}.`);
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { completeSite } from './complete-site.ts';
import { githubAnchor } from './github-anchor.ts';
import { type Page, sidebarOf } from './sidebar.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

function pages(): Page[] {
  const names = globSync('**/*.md', { cwd: folder }).toSorted();
  return names.map((name) => ({ name, markdown: readFileSync(join(folder, name), 'utf8') }));
}

/** The documentation as a site: `npm run docs:site`. A link that leads nowhere fails the build. */
export default defineConfig({
  title: 'davit',
  description: 'Launches CI build agents into Kubernetes',
  outDir: '../dist/site',
  cacheDir: '../dist/.vitepress',
  cleanUrls: true,
  // An indented block scrolls by itself, and not the whole page with it on a phone.
  head: [['style', {}, '.vp-doc pre { overflow-x: auto; }']],
  rewrites: { ':folder/README.md': ':folder/index.md' },
  buildEnd: ({ outDir }) => completeSite(fileURLToPath(new URL('../../examples', import.meta.url)), outDir),
  // The documents link to headings as GitHub names them.
  markdown: { anchor: { slugify: githubAnchor }, image: { lazyLoading: true } },
  themeConfig: {
    sidebar: sidebarOf(pages()),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

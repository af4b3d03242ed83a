import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';
import { githubAnchor } from '../../../docs/.vitepress/github-anchor.ts';
import { documents, presentDocuments, read } from './documents.ts';

/** The anchors of a document's headings. */
function anchorsOf(name: string): string[] {
  return [...read(name).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => githubAnchor(heading));
}

test.each(documents)('every link of %s within the repository leads somewhere', (name) => {
  const links = [...read(name).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];

  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? name : join(dirname(name), path);
    if (!existsSync(join(rootFolder, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(presentDocuments)('every source file that %s names exists', (name) => {
  const named = read(name).matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+\.(?:ts|tsx|mjs))`/g);
  const files = Array.from(named, ([, file = '']) => file);

  expect(files.filter((file) => !existsSync(join(rootFolder, file)))).toEqual([]);
});

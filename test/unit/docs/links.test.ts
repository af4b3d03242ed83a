import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';
import { githubAnchor } from '../../../docs/.vitepress/github-anchor.ts';

const documents = [
  'README.md',
  'SCOPE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(rootFolder, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

function read(name: string): string {
  return readFileSync(join(rootFolder, name), 'utf8');
}

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

// A decision names the files of its day.
test.each(documents.filter((name) => !name.startsWith('docs/adr/')))(
  'every source file that %s names exists',
  (name) => {
    const files = [...read(name).matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+\.(?:ts|tsx|mjs))`/g)].map(
      ([, file = '']) => file,
    );

    expect(files.filter((file) => !existsSync(join(rootFolder, file)))).toEqual([]);
  },
);

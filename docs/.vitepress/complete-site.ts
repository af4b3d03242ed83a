import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Adds to a built site what VitePress leaves out, and checks that nothing is missing.
 *
 * The examples: documents link to them. The `lean` copies of the pages' scripts, which a browser loads first: VitePress makes
 * them in a way that vite's bundler ignores. Whole copies do as well.
 *
 * @param examples the folder of the examples, beside that of the documents
 * @throws Error naming each file that a page refers to and that is not there
 */
export function completeSite(examples: string, site: string): void {
  cpSync(examples, join(site, 'examples'), { recursive: true });
  for (const name of globSync('assets/*.md.*.js', { cwd: site })) {
    if (!name.endsWith('.lean.js')) cpSync(join(site, name), join(site, name.replace(/\.js$/, '.lean.js')));
  }
  const missing = globSync('**/*.html', { cwd: site }).flatMap((page) => missingFiles(site, page));
  if (missing.length > 0) throw new Error(`the site lacks what its pages refer to:\n${missing.join('\n')}`);
}

function missingFiles(site: string, page: string): string[] {
  const references = readFileSync(join(site, page), 'utf8').matchAll(/(?:href|src)="(?!\w+:|\/\/)([^"#?]+\.\w+)"/g);
  // A browser does not go above the root: `../../examples` of a guide is `/examples`.
  const paths = Array.from(references, ([, path = '']) => new URL(path, `https://site/${page}`).pathname);
  return paths.filter((path) => !existsSync(join(site, path))).map((path) => `${page}: ${path}`);
}

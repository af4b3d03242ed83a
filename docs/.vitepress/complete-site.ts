import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Adds to a built site what VitePress leaves out, and checks that nothing is missing.
 *
 * Templates, the dashboard and the API's description: documents link to them. The `lean` copies of the pages' scripts, which a browser loads
 * first: VitePress makes them in a way that vite's bundler ignores. Whole copies do as well.
 *
 * @throws Error naming each file that a page refers to and that is not there
 */
export function completeSite(documents: string, site: string): void {
  for (const name of globSync('**/*.{yaml,json}', { cwd: documents })) cpSync(join(documents, name), join(site, name));
  for (const name of globSync('assets/*.md.*.js', { cwd: site })) {
    if (!name.endsWith('.lean.js')) cpSync(join(site, name), join(site, name.replace(/\.js$/, '.lean.js')));
  }
  const missing = globSync('**/*.html', { cwd: site }).flatMap((page) => missingFiles(site, page));
  if (missing.length > 0) throw new Error(`the site lacks what its pages refer to:\n${missing.join('\n')}`);
}

function missingFiles(site: string, page: string): string[] {
  const references = readFileSync(join(site, page), 'utf8').matchAll(/(?:href|src)="(?!\w+:|\/\/)([^"#?]+\.\w+)"/g);
  const paths = Array.from(references, ([, path = '']) =>
    path.startsWith('/') ? path : `/${join(dirname(page), path)}`,
  );
  return paths.filter((path) => !existsSync(join(site, path))).map((path) => `${page}: ${path}`);
}

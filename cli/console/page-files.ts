import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of the console's page, by their names. */
export type PageFiles = Readonly<Record<PageFileName, string>>;

/** The names, each with its media type. */
export const pageFileTypes = {
  'index.html': 'text/html; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type PageFileName = keyof typeof pageFileTypes;

const folder = fileURLToPath(new URL('page/', import.meta.url));

/** Reads the page's files: a package contains the bundle, a checkout builds it now. */
export async function readPageFiles(): Promise<PageFiles> {
  if (extname(import.meta.url) === '.ts') return bundlePage();
  return fromNames((name) => readFile(`${folder}${name}`, 'utf8'));
}

/**
 * Bundles the page from its sources.
 *
 * @throws Error of esbuild's, with the place in the source
 */
export async function bundlePage(): Promise<PageFiles> {
  const { outputFiles } = await esbuild().build({
    entryPoints: { console: `${folder}main.tsx` },
    outdir: '/',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const script = outputFiles[0]?.text ?? '';
  return fromNames(async (name) => (name === 'console.js' ? script : readFile(`${folder}${name}`, 'utf8')));
}

async function fromNames(read: (name: PageFileName) => Promise<string>): Promise<PageFiles> {
  const [html, script, style, icon] = await Promise.all([
    read('index.html'),
    read('console.js'),
    read('console.css'),
    read('icon.svg'),
  ]);
  return { 'index.html': html, 'console.js': script, 'console.css': style, 'icon.svg': icon };
}

/** Loads it only here, because a package has no esbuild. */
function esbuild(): typeof import('esbuild') {
  return createRequire(import.meta.url)('esbuild');
}

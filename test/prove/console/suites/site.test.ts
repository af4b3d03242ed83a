import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import { outputOf } from '../../../../scripts/run-process.ts';
import { chromiumPath } from '../chromium.ts';

const site = join(rootFolder, 'dist', 'site');
const phone = { width: 390, height: 800 };
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
};

let server: LoopbackServer;
let browser: Browser;
beforeAll(async () => {
  await outputOf('vitepress', ['build', 'docs'], { cwd: rootFolder });
  server = await startLoopbackServer((request, response) => void serve(request, response));
  browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

async function serve({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = await fileOf(new URL(url, 'http://site').pathname);
  response.writeHead(file === undefined ? 404 : 200, { 'content-type': types[extname(file ?? '')] ?? 'text/plain' });
  response.end(file === undefined ? '' : await readFile(file));
}

/** Finds the file of an address, as a server of static files does that leaves out `.html`. */
async function fileOf(path: string): Promise<string | undefined> {
  for (const file of [join(site, path), join(site, path, 'index.html'), join(site, `${path}.html`)]) {
    if (
      await stat(file).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

/** Measures how wide a page is. A browser scrolls a page that is wider than its window. */
function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

test('no page of the documentation scrolls sideways on a phone', async () => {
  const page = await browser.newPage({ viewport: phone });
  const names = globSync('**/*.html', { cwd: site });

  const wide: string[] = [];
  for (const name of names) {
    await page.goto(`${server.url}/${name.replace(/(index)?\.html$/, '')}`);
    if ((await widthOf(page)) > phone.width) wide.push(name);
  }

  expect(names.length).toBeGreaterThan(50);
  expect(wide).toEqual([]);
});

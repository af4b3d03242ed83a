import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type FailingDavit, makeFailures } from './failures/make-failures.ts';
import type { ShownFailure } from './failures/shown-failure.ts';
import type { ConsoleBrowser } from './open-console.ts';

interface Tile {
  caption: string;
  png: Buffer;
}

interface Kind {
  /** The part of a file's name that says how its pictures were taken. */
  name: string;
  width: number;
  columns: number;
  colorScheme: 'light' | 'dark';
}

const kinds: readonly Kind[] = [
  { name: 'wide', width: 860, columns: 2, colorScheme: 'light' },
  { name: 'phone', width: 390, columns: 4, colorScheme: 'dark' },
];
const sheets: readonly ShownFailure['sheet'][] = ['service', 'placement', 'containers', 'infrastructure', 'others'];

/** Takes a picture of the page of each failure, without its timeline, and lays those of a group out on one sheet. */
export async function takeFailureSheets(browser: ConsoleBrowser, folder: string): Promise<void> {
  const failing = await makeFailures();
  for (const kind of kinds) {
    await using opened = await browser.open(failing.davit.open, {
      bypassCSP: true,
      colorScheme: kind.colorScheme,
      viewport: { width: kind.width, height: 900 },
    });
    await opened.page.addStyleTag({ content: hidden });
    for (const sheet of sheets) {
      const tiles = await tilesOf(opened.page, failing, sheet);
      await using paper = await browser.blank({ width: kind.columns * (kind.width + 16) + 16, height: 900 });
      const { page } = paper;
      await page.setContent(layout(tiles, kind));
      await page.waitForLoadState('networkidle');
      await writeWebp(page, join(folder, `failures-${sheet}-${kind.name}.webp`));
    }
  }
}

async function tilesOf(page: Page, { failures }: FailingDavit, sheet: ShownFailure['sheet']): Promise<Tile[]> {
  const tiles: Tile[] = [];
  for (const { caption, record } of failures.filter((failure) => failure.sheet === sheet)) {
    await showLaunch(page, record.launchId);
    tiles.push({ caption, png: await page.locator('main').screenshot() });
  }
  return tiles;
}

/** What is the same on each page. */
const hidden = 'header, .bar, .facts, .card:has(#timeline), button { display: none !important; } main { min-height: 0; }';

/** Opens a launch's page in a console that shows another one. */
export async function showLaunch(page: Page, launchId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/launches/${launchId}'`);
  await page.locator('.facts', { hasText: launchId }).waitFor({ state: 'attached' });
  await page.locator('#why').waitFor();
}

/** Writes a picture of the whole page, a tenth of the size of a PNG: a canvas of the browser encodes it. */
async function writeWebp(page: Page, path: string): Promise<void> {
  const png = await page.screenshot({ fullPage: true });
  const data = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${quality} });
    return (await blob.bytes()).toBase64();
  })()`);
  await writeFile(path, Buffer.from(data, 'base64'));
}

const quality = 0.4;

/** A page of pictures, each below its caption, in columns. */
function layout(tiles: readonly Tile[], { columns, width, colorScheme }: Kind): string {
  const figures = tiles.map(
    ({ caption, png }) =>
      `<figure><figcaption>${escaped(caption)}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
  );
  const [ink, paper] = colorScheme === 'light' ? ['#223', '#d5dae2'] : ['#cde', '#05070a'];
  return `<!doctype html><style>
    body { margin: 8px; background: ${paper}; color: ${ink}; font: bold 15px sans-serif;
      columns: ${columns}; column-width: ${width}px; column-gap: 16px; }
    figure { margin: 0 0 18px; break-inside: avoid; }
    figcaption { padding: 2px 0 4px; }
    img { display: block; width: ${width}px; }
  </style>${figures.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

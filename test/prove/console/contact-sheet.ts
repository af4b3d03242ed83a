import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { ConsoleBrowser } from './open-console.ts';

/** A picture with its caption. */
export interface Tile {
  caption: string;
  png: Buffer;
}

/** How pictures lie on a sheet. */
export interface Layout {
  /** The width of one picture in the sheet, in pixels: smaller than the picture makes it smaller. */
  width: number;
  columns: number;
  colorScheme: 'light' | 'dark';
}

const gap = 14;
const quality = 0.5;

/** Lays pictures out on one sheet, column after column, and writes it as WebP: a tenth of the size of a PNG. */
export async function writeSheet(
  browser: ConsoleBrowser,
  path: string,
  tiles: readonly Tile[],
  layout: Layout,
): Promise<void> {
  const width = layout.columns * (layout.width + gap) + gap;
  await using paper = await browser.blank({ width, height: 900 });
  const { page } = paper;
  await page.setContent(htmlOf(tiles, layout));
  await page.waitForLoadState('networkidle');
  const png = await page.screenshot({ fullPage: true });
  await writeFile(path, await webpOf(page, png));
}

/** Encodes a picture by a canvas of the browser. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const data = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${quality} });
    return (await blob.bytes()).toBase64();
  })()`);
  return Buffer.from(data, 'base64');
}

function htmlOf(tiles: readonly Tile[], { columns, width, colorScheme }: Layout): string {
  const figures = tiles.map(
    ({ caption, png }) =>
      `<figure><figcaption>${escaped(caption)}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
  );
  const [ink, paper] = colorScheme === 'light' ? ['#223', '#d5dae2'] : ['#cde', '#05070a'];
  return `<!doctype html><style>
    body { margin: ${gap / 2}px; background: ${paper}; color: ${ink}; font: bold 13px sans-serif;
      columns: ${columns}; column-gap: ${gap}px; }
    figure { margin: 0 0 ${gap}px; break-inside: avoid; }
    figcaption { padding: 2px 0 3px; }
    img { display: block; width: ${width}px; }
  </style>${figures.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

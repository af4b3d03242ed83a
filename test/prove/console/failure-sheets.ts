import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Layout, type Tile, writeSheet } from './contact-sheet.ts';
import { type FailingDavit, makeFailures } from './failures/make-failures.ts';
import type { ShownFailure } from './failures/shown-failure.ts';
import type { ConsoleBrowser } from './open-console.ts';

interface Kind extends Layout {
  /** The part of a file's name that says how its pictures were taken. */
  name: string;
  windowWidth: number;
}

const kinds: readonly Kind[] = [
  { name: 'wide', windowWidth: 860, width: 580, columns: 3, colorScheme: 'light' },
  { name: 'phone', windowWidth: 390, width: 330, columns: 5, colorScheme: 'dark' },
];
const sheets: readonly ShownFailure['sheet'][] = ['service', 'placement', 'containers', 'infrastructure', 'others'];

/** What is the same on each page; and a page is as high as what is on it. */
const hidden =
  'header, .bar, .facts, .card:has(#timeline), button { display: none !important; } body { display: block; height: auto; }';

/** Takes a picture of the page of each failure, without its timeline, and lays those of a group out on one sheet. */
export async function takeFailureSheets(browser: ConsoleBrowser, folder: string): Promise<void> {
  for (const kind of kinds) {
    const failing = await makeFailures();
    await using opened = await browser.open(failing.davit.open, {
      bypassCSP: true,
      colorScheme: kind.colorScheme,
      viewport: { width: kind.windowWidth, height: 900 },
    });
    await opened.page.addStyleTag({ content: hidden });
    for (const sheet of sheets) {
      const tiles = await tilesOf(opened.page, failing, sheet);
      await writeSheet(browser, join(folder, `failures-${sheet}-${kind.name}.webp`), tiles, kind);
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

/** Opens a launch's page in a console that shows another one. */
export async function showLaunch(page: Page, launchId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/launches/${launchId}'`);
  await page.locator('.facts', { hasText: launchId }).waitFor({ state: 'attached' });
  await page.locator('#why').waitFor();
}

/**
 * Makes the pictures of docs/console.md and docs/console-failures.md: `npm run prove -- console --pictures`. With a folder,
 * and a number of launches, makes every picture of a page there, for a person to look at.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Tile, writeSheet } from './contact-sheet.ts';
import { takeFailureSheets } from './failure-sheets.ts';
import { type ConsoleBrowser, type OpenOptions, startBrowser } from './open-console.ts';
import { makeScene } from './scene.ts';

interface Picture {
  name: string;
  view: string;
  colorScheme?: 'light' | 'dark';
  isPhone?: true;
  /** Pictures of the whole page are as high as it is. @default the window alone */
  isWhole?: true;
}

const pictures: readonly Picture[] = [
  { name: 'now', view: '/now', isWhole: true },
  { name: 'now-dark', view: '/now', colorScheme: 'dark' },
  { name: 'launches', view: '/launches' },
  { name: 'launch', view: '/launches/gitea-7-107-1', isWhole: true },
  { name: 'failed', view: '/launches/gitea-7-109-1', colorScheme: 'dark', isWhole: true },
  { name: 'held', view: '/launches/gitea-7-121-1', isWhole: true },
  { name: 'queue', view: '/queue', isWhole: true },
  { name: 'clusters', view: '/clusters' },
  { name: 'cost', view: '/cost' },
  { name: 'phone', view: '/now', isPhone: true },
  { name: 'phone-launch', view: '/launches/gitea-7-109-1', isPhone: true, colorScheme: 'dark' },
];
const others: readonly Picture[] = [
  { name: 'phone-queue', view: '/queue', isPhone: true, isWhole: true },
  { name: 'phone-launches', view: '/launches', isPhone: true },
  { name: 'phone-clusters', view: '/clusters', isPhone: true, isWhole: true },
  { name: 'phone-cluster', view: '/clusters/west', isPhone: true, isWhole: true },
  { name: 'phone-cost', view: '/cost', isPhone: true, isWhole: true },
  { name: 'phone-sweep', view: '/sweep', isPhone: true },
  { name: 'phone-now', view: '/now', isPhone: true, isWhole: true, colorScheme: 'dark' },
  { name: 'pulled', view: '/launches/gitea-7-104-1', isWhole: true },
  { name: 'unknown', view: '/launches/nope' },
  { name: 'waits', view: '/launches/gitea-7-111-1', isWhole: true },
];

const wide = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

async function take(browser: ConsoleBrowser, picture: Picture, launches: number): Promise<Buffer> {
  const { view, colorScheme = 'light', isPhone, isWhole = false } = picture;
  const davit = await makeScene(launches);
  const options: OpenOptions = {
    view,
    colorScheme,
    viewport: isPhone ? phone : wide,
    settings: {
      davit: 'the stack Davit',
      pricePerHour: { linux: 0.17, java: 0.34, large: 0.68 },
      dollarsPerLaunch: 0.0003,
    },
  };
  await using opened = await browser.open(davit.open, options);
  const { page } = opened;
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500);
  const height = isWhole ? await page.evaluate<number>("document.querySelector('main').scrollHeight + 200") : undefined;
  if (height !== undefined) await page.setViewportSize({ ...(isPhone ? phone : wide), height: Math.min(height, 2600) });
  return await page.screenshot();
}

/**
 * Makes pictures: those of the documents, the first page with few and with many launches, and every failure.
 *
 * @param launches makes those that no document shows instead, with so many launches
 */
export async function takePictures(folder = 'docs/console', launches?: number): Promise<void> {
  await using browser = await startBrowser();
  for (const picture of launches === undefined ? pictures : [...pictures, ...others]) {
    await writeFile(join(folder, `${picture.name}.png`), await take(browser, picture, launches ?? 30));
  }
  if (launches !== undefined) return;
  await takeFirstPages(browser, folder);
  await takeFailureSheets(browser, folder);
}

/** The first page of a davit without launches, with some, and with many: light and dark, wide and narrow. */
async function takeFirstPages(browser: ConsoleBrowser, folder: string): Promise<void> {
  for (const isPhone of [false, true]) {
    const tiles: Tile[] = [];
    for (const launches of [0, 30, 3000]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const picture = { name: 'now', view: '/now', isWhole: true, colorScheme, ...(isPhone && { isPhone }) } as const;
        const count = launches.toLocaleString('en');
        tiles.push({ caption: `${count} launches, ${colorScheme}`, png: await take(browser, picture, launches) });
      }
    }
    const layout = { columns: isPhone ? 6 : 3, width: isPhone ? 280 : 620, colorScheme: 'light' } as const;
    await writeSheet(browser, join(folder, `first-page-${isPhone ? 'phone' : 'wide'}.webp`), tiles, layout);
  }
}

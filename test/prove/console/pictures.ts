/** Makes the pictures of docs/console.md and docs/console-failures.md: `npm run prove -- console --pictures`. */
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
const folder = 'docs/console';
const wide = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

async function take(browser: ConsoleBrowser, picture: Picture, launches = 30): Promise<Buffer> {
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

/** Makes the pictures: of each view, of the first page with few and with many launches, and of every failure. */
export async function takePictures(): Promise<void> {
  await using browser = await startBrowser();
  for (const picture of pictures) await writeFile(join(folder, `${picture.name}.png`), await take(browser, picture));
  await takeFirstPages(browser);
  await takeFailureSheets(browser, folder);
}

/** The first page of a davit without launches, with some, and with many: light and dark, wide and narrow. */
async function takeFirstPages(browser: ConsoleBrowser): Promise<void> {
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

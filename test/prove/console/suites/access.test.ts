import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import type { MemoryDavit } from '../memory-davit.ts';
import { type ConsoleBrowser, type OpenOptions, startBrowser } from '../open-console.ts';
import { davitOfEachKind, partialSweep, queueJobs, reportAway } from '../records.ts';

let browser: ConsoleBrowser;
let davit: MemoryDavit;
let axe: string;
beforeAll(async () => {
  browser = await startBrowser();
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  davit = await davitOfEachKind(['sandbox', 'eu'], partialSweep);
  await reportAway(davit, 'eu');
  await queueJobs(davit);
  const why = 'the signature is missing';
  await davit.refusedWebhooks.note({ ciSystem: 'gitea', count: 3, why, atEpochMs: Date.now() });
});
afterAll(() => browser[Symbol.asyncDispose]());

const phone = { width: 360, height: 740 };

interface View {
  view: string;
  /** A selector that is present once the view is. */
  shown: string;
  /** The person's actions before. */
  act?: (page: Page) => Promise<unknown>;
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name }).click();

const views: readonly View[] = [
  { view: '/now', shown: '.causes li >> nth=1' },
  { view: '/launches', shown: '.all .row >> nth=6' },
  { view: '/launches?status=failed&repository=acme/shop', shown: '.more' },
  { view: '/launches/api-held', shown: '.moments' },
  { view: '/launches/api-failed', shown: 'pre' },
  { view: '/launches/api-unknown', shown: '#title' },
  { view: '/queue/NoProfile', shown: 'tbody tr >> nth=2' },
  { view: '/launches/api-running', shown: 'dialog[open]', act: click('End this launch') },
  { view: '/queue', shown: 'tbody tr >> nth=2' },
  { view: '/clusters', shown: '.card >> nth=1' },
  { view: '/clusters/eu', shown: 'table' },
  { view: '/cost', shown: 'tfoot' },
  { view: '/sweep', shown: '.card', act: click('Look now') },
  { view: '/nothing', shown: 'h1' },
];

const windows: readonly (readonly [string, OpenOptions])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone, dark', { colorScheme: 'dark', viewport: phone }],
];

describe.each(windows)('%s: axe finds nothing wrong, and nothing is wider than the screen, at', (_name, window) => {
  test.each(views)('$view', async ({ view, shown, act }) => {
    // axe writes its own styles, which the policy would block.
    await using opened = await browser.open(davit.open, { ...window, view, bypassCSP: true });
    const { page } = opened;
    await act?.(page);
    await page.locator(shown).waitFor();
    await page.evaluate(axe);

    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    const { violations, passes } = await page.evaluate<AxeResults>('axe.run()');

    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
    expect(passes.length).toBeGreaterThan(10);
    expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  });
});

test('by the keyboard alone: to the list, into a launch, to its end and back', async () => {
  await using opened = await browser.open(davit.open);
  const { page } = opened;
  await page.locator('.all .row').nth(6).waitFor();
  const tabTo = async (name: string) => {
    for (let tabs = 0; tabs < 30; tabs += 1) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').innerText()) === name) return;
    }
    throw new Error(`${name} is not reached by Tab`);
  };

  await tabTo('build api-starting');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'End this launch' }).waitFor();
  expect(await page.locator(':focus').innerText()).toMatch(/api-starting$/);
  await tabTo('End this launch');
  await page.keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor();
  expect(await page.locator(':focus').innerText()).toBe('Keep it');
  await page.keyboard.press('Enter');
  await page.locator('dialog').waitFor({ state: 'hidden' });
  expect(await page.locator(':focus').innerText()).toBe('End this launch');
});

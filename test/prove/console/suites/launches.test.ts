import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { eventually } from '../../../support/eventually.ts';
import { createMemoryDavit } from '../memory-davit.ts';
import { type ConsoleBrowser, type OpenConsole, startBrowser } from '../open-console.ts';
import { davitOfEachKind, launchedAgo } from '../records.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const rows = (page: Page) => page.locator('.all .row');

async function titles(page: Page): Promise<string[]> {
  return page.locator('.all .row a').allInnerTexts();
}

async function openEachKind(): Promise<OpenConsole> {
  const opened = await browser.open((await davitOfEachKind()).open);
  await rows(opened.page).nth(5).waitFor();
  return opened;
}

test('the launches of all statuses are listed, newest first, each with the reason for its wait', async () => {
  await using opened = await openEachKind();
  const { page } = opened;

  expect(await titles(page)).toEqual([
    'build api-starting',
    'build api-held',
    'integration tests',
    'build api-cleaning',
    'build api-failed',
    'integration tests',
  ]);
  expect(await rows(page).nth(1).innerText()).toMatch(
    /davit creates its Service and its Pod \(1 min.*\): QuotaExceeded: exceeded quota: agents/,
  );
  const line = rows(page).nth(5).locator('.line');
  const background = "getComputedStyle(document.querySelectorAll('.all .row .line')[5]).backgroundImage";
  expect(await page.evaluate<string>(background)).toMatch(
    /^linear-gradient\(to right, rgb\(\d+, \d+, \d+\) 0%.* 100%\)$/,
  );
  expect(await line.getAttribute('title')).toMatch(/the Pod waits for a node: 18 s, .*the job runs: 9 min/);
  expect(opened.complaints).toEqual([]);
});

describe('filters', () => {
  test('by status and repository are in the address, and Back undoes them', async () => {
    await using opened = await openEachKind();
    const { page } = opened;

    await page.getByLabel('failed').check();
    await eventually(async () => expect(await titles(page)).toEqual(['build api-failed']));
    expect(page.url()).toMatch(/#\/launches\?status=failed$/);
    await page.getByLabel('failed').uncheck();
    await page.getByLabel('repository').fill('acme/shop');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await titles(page)).toEqual(['integration tests', 'integration tests']));
    await page.goBack();
    await eventually(async () => expect(await titles(page)).toHaveLength(6));
    expect(await page.getByLabel('repository').inputValue()).toBe('');
  });

  test('keep what a person types while the page renders anew', async () => {
    await using opened = await openEachKind();
    const { page } = opened;

    // The page renders at least once a second.
    await page.getByLabel('repository').pressSequentially('acme/shop', { delay: 300 });
    expect(await page.getByLabel('repository').inputValue()).toBe('acme/shop');
    await page.keyboard.press('Enter');

    await eventually(async () => expect(await titles(page)).toEqual(['integration tests', 'integration tests']));
  });

  test('keep a typed text when the next click is on another filter', async () => {
    await using opened = await openEachKind();
    const { page } = opened;

    await page.getByLabel('repository').pressSequentially('acme/shop');
    await page.getByLabel('terminated').check();

    await eventually(() => expect(page.url()).toMatch(/#\/launches\?repository=acme%2Fshop&status=terminated$/));
    await eventually(async () => expect(await titles(page)).toEqual(['integration tests']));
    expect(await page.getByLabel('repository').inputValue()).toBe('acme/shop');
  });

  test('are cleared by Escape', async () => {
    const davit = await davitOfEachKind();
    await using opened = await browser.open(davit.open, { view: '/launches?repository=acme/shop' });
    const { page } = opened;
    await eventually(async () => expect(await titles(page)).toHaveLength(2));

    await page.getByLabel('repository').press('Escape');

    await eventually(async () => expect(await titles(page)).toHaveLength(6));
    expect(page.url()).toMatch(/#\/launches$/);
  });
});

describe('10,000 launches', () => {
  const count = 10_000;
  const davit = createMemoryDavit();
  beforeAll(async () => {
    for (let at = 0; at < count; at += 1) await davit.put(launchedAgo(`api-${at}`, at * 1000, { status: 'connected' }));
  });

  test('have only their visible rows, wherever the list is', async () => {
    await using opened = await browser.open(davit.open);
    const { page } = opened;

    await scrollToEnd(page);

    expect(await rows(page).count()).toBeLessThan(40);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(`${count + 1}`);
  });

  test('are read to their end after a slow first answer', async () => {
    await using opened = await browser.open(davit.open, { view: '/clusters' });
    const { page } = opened;
    let answers = 0;
    await page.route('**/api/launches?*', async (route) => {
      answers += 1;
      await sleep(answers === 1 ? 500 : 20);
      await route.continue();
    });
    // So often that the list never rests.
    await page.evaluate("setInterval(() => document.querySelector('.rows')?.scrollTo(0, 1e9), 16)");

    await page.getByRole('link', { name: 'Launches' }).click();

    await page.getByText(`${count} launches`, { exact: true }).waitFor();
  });

  async function scrollToEnd(page: Page): Promise<void> {
    await rows(page).first().waitFor();
    const list = page.locator('.rows');
    const last = page.getByText(`${count} launches`, { exact: true });
    while (!(await last.isVisible())) {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      expect(await rows(page).count()).toBeLessThan(40);
    }
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByText(`build api-${count - 1}`, { exact: true }).waitFor();
  }

  test('are where the person left them, after a look at one of them', async () => {
    await using opened = await browser.open(davit.open);
    const { page } = opened;
    await rows(page).first().waitFor();
    const list = page.locator('.rows');
    const below = page.getByText('build api-302', { exact: true });
    while (!(await below.isVisible())) await list.evaluate((element) => element.scrollTo(0, 56 * 300));
    const before = await below.boundingBox();

    await below.click();
    await page.getByRole('heading', { level: 1, name: 'build api-302', exact: true }).waitFor();
    await page.goBack();

    await below.waitFor();
    expect(await below.boundingBox()).toEqual(before);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await below.boundingBox()).toEqual(before);
    // A link begins anew.
    await page.getByRole('link', { name: 'Clusters' }).click();
    await page.getByRole('link', { name: 'Launches' }).click();
    await page.getByText('build api-0', { exact: true }).waitFor();
  });

  test('are walked through by keys', async () => {
    await using opened = await browser.open(davit.open);
    const { page } = opened;
    await rows(page).first().waitFor();
    const focused = () => page.locator('.all a:focus').innerText();

    await page.locator('.all a[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('build api-2');
    await page.keyboard.press('End');
    await eventually(async () => expect(await focused()).toMatch(/^build api-\d{2,}$/));
    await page.keyboard.press('Home');
    await eventually(async () => expect(await focused()).toBe('build api-0'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'build api-1', exact: true }).waitFor();
  });
});

describe('live', () => {
  test('a new launch appears at the top, and a changed one is updated', async () => {
    const davit = createMemoryDavit();
    const first = launchedAgo('api-first', 5000);
    await davit.put(first);
    await using opened = await browser.open(davit.open);
    const { page } = opened;
    await eventually(async () => expect(await titles(page)).toEqual(['build api-first']));

    await davit.put({ ...first, status: 'connected', connectedAtEpochMs: Date.now() });
    await davit.put(launchedAgo('api-second', 0));

    await eventually(async () => expect(await titles(page)).toEqual(['build api-second', 'build api-first']));
    await eventually(async () => expect(await rows(page).nth(1).locator('.badge').innerText()).toBe('connected'));
  });

  test('new launches above do not move the visible rows', async () => {
    const davit = createMemoryDavit();
    for (let at = 1; at <= 200; at += 1) await davit.put(launchedAgo(`api-${at}`, at * 1000));
    await using opened = await browser.open(davit.open);
    const { page } = opened;
    await rows(page).first().waitFor();
    const list = page.locator('.rows');
    await list.evaluate((element) => element.scrollTo(0, 56 * 50));
    const row = rows(page).filter({ has: page.getByText('build api-53', { exact: true }) });
    await row.waitFor();
    const before = await row.boundingBox();
    for (let at = 0; at < 10; at += 1) await davit.put(launchedAgo(`api-new-${at}`, 0));
    // The list reads new launches only at its top: the person goes there and comes back.
    await page.locator('.all a[tabindex="0"]').focus();
    await list.evaluate((element) => element.scrollTo(0, 0));
    await page.getByText('build api-new-1', { exact: true }).waitFor();
    await list.evaluate((element) => element.scrollTo(0, 56 * 60));

    await row.waitFor();
    expect(await row.boundingBox()).toEqual(before);
  });
});

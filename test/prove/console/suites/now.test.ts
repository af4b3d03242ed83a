import { type ConsoleBrowser, startBrowser } from '../open-console.ts';
import { makeScene } from '../scene.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('the first page says what is wrong: numbers that are links, causes, and the launches on one axis', async () => {
  await using opened = await browser.open((await makeScene(30)).open, { view: '' });
  const { page } = opened;
  const numbers = page.getByRole('list', { name: 'Numbers' }).getByRole('link');
  await numbers.first().waitFor();

  expect((await numbers.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    '5 failed in the last hour',
    expect.stringMatching(/^4 in trouble, oldest \d/),
    expect.stringMatching(/^7 launching, usually 6 s/),
    '5 running',
    '3 jobs queued',
    '5 jobs that no profile takes',
    '3 webhooks refused',
    '1 cluster disconnected',
  ]);
  const causes = page.locator('.causes li');
  expect(await causes.first().innerText()).toMatch(
    /^3 ×[^]*could not be pulled[^]*ImagePullFailed[^]*profile java[^]*21-missing[^]*What to do: /,
  );
  expect(await page.locator('.lanes li').count()).toBe(22);
  expect(await page.getByRole('list', { name: 'Colours' }).innerText()).toMatch(/the job runs[^]*trouble/);
  await causes.first().getByRole('link').click();
  await page.getByRole('region', { name: 'Why it failed' }).waitFor();
  expect(opened.complaints).toEqual([]);
});

test.each(['/now', '/launches', '/queue', '/cost', '/sweep', '/nothing'])(
  'the page %s says that a cluster is disconnected',
  async (view) => {
    await using opened = await browser.open((await makeScene(12)).open, { view });

    await opened.page.getByText(/^Cluster west is disconnected for 4 min/).waitFor();
  },
);

test('a davit without launches says that nothing is wrong', async () => {
  await using opened = await browser.open((await makeScene(0)).open, { view: '/now' });
  const { page } = opened;
  await page.getByText(/^Nothing: no launch failed in the last hour/).waitFor();

  expect(await page.locator('.numbers strong').allInnerTexts()).toEqual(Array.from({ length: 8 }, () => '0'));
  expect(await page.getByText(/disconnected for/).count()).toBe(0);
});

test('of 3,000 launches, the page reads what it shows', async () => {
  const davit = await makeScene(3000);
  await using opened = await browser.open(davit.open, { view: '/now' });
  const { page } = opened;
  await page.locator('.causes li').first().waitFor();

  expect(await page.locator('.numbers strong').first().innerText()).toMatch(/^\d+$/);
  expect(await page.locator('.lanes li').count()).toBe(24);
  expect(davit.asked.filter((asked) => asked === 'GET /launches').length).toBeLessThan(40);
});

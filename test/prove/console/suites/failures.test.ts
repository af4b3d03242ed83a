import type { Page } from 'playwright-core';
import { errorCodes } from '../../../../core/errors/error-codes.ts';
import { showLaunch } from '../failure-sheets.ts';
import { type FailingDavit, makeFailures } from '../failures/make-failures.ts';
import { type ConsoleBrowser, startBrowser } from '../open-console.ts';

const phone = { width: 390, height: 844 };
/** The state machine's steps, the tables, the API's routes: a person who uses davit has seen none of them. */
const internal =
  /\b[A-Z]\w+(?= gave up)|; at last: |\btoken\b(?= says| is published)|state machine|\bGET \/|the diagnostics|look again/;
/** The errors that nobody sees on a launch's page: of a step that is repeated at once, or of a launch that is over already. */
const unseen = [
  'NodePortPending',
  'PlacementPending',
  'ConnectPending',
  'RemovalPending',
  'RunnerBusy',
  'WriteConflict',
];
const ofOthers = ['StoreUnavailable', 'LaunchOver', 'ObserverFailed'];

let browser: ConsoleBrowser;
let failing: FailingDavit;
beforeAll(async () => {
  [browser, failing] = await Promise.all([startBrowser(), makeFailures()]);
});
afterAll(() => browser[Symbol.asyncDispose]());

/** What is wrong with the page of a failure, in a narrow window. */
async function complaintsAbout(page: Page, { caption, record }: FailingDavit['failures'][number]): Promise<string[]> {
  await showLaunch(page, record.launchId);
  const why = await page.locator('section[aria-labelledby=why]').innerText();
  const { status, signal } = record;
  const isTrouble = status === 'failed' || status === 'cleaning' || signal !== undefined;
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  const detail = (await page.locator('section[aria-labelledby=why] .detail').allInnerTexts()).at(0) ?? '';
  const others = (await page.locator('main').innerText()).split(detail).length - 2;
  return [
    ...(isTrouble && !/What to do: \S/.test(why) ? ['no next step'] : []),
    ...(internal.test(why) ? [`internal language: ${internal.exec(why)?.[0]}`] : []),
    ...(width > phone.width ? [`${width} px wide`] : []),
    ...(detail !== '' && others > 1 ? ['its cause again and again'] : []),
  ].map((complaint) => `${caption}: ${complaint}`);
}

test('each failure says on a phone what to do, in words of its reader, and once', async () => {
  await using opened = await browser.open(failing.davit.open, { viewport: phone });
  const complaints: string[] = [];
  for (const failure of failing.failures) complaints.push(...(await complaintsAbout(opened.page, failure)));

  expect(failing.failures.length).toBeGreaterThan(90);
  expect(complaints).toEqual([]);
  expect(opened.complaints).toEqual([]);
});

test('every error code that a launch shows is among the failures', () => {
  const shown = new Set(failing.failures.flatMap(({ record }) => record.ending?.code ?? record.signal?.code ?? []));

  const missing = Object.keys(errorCodes).filter((code) => !shown.has(code));

  expect(missing.toSorted()).toEqual([...unseen, ...ofOthers].toSorted());
});

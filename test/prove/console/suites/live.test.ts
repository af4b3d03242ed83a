import type { Page } from 'playwright-core';
import { connect } from '../../../../cli/api/connection.ts';
import { type DavitProcess, startDavitProcess } from '../../../e2e/davit-process.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { recordingTerminal } from '../../../support/recording-terminal.ts';
import { type ConsoleBrowser, type OpenConsole, startBrowser } from '../open-console.ts';

const patience = { timeout: 60_000 };

let browser: ConsoleBrowser;
const state = newFolder();
let davit: DavitProcess;
let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  davit = await start();
  browser = await startBrowser();
  opened = await browser.open(() => connect({ state }, recordingTerminal()));
  page = opened.page;
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
  await davit[Symbol.asyncDispose]();
});

function start(): Promise<DavitProcess> {
  return startDavitProcess(['--listen', '127.0.0.1:0', '--state', state]);
}

const row = (launchId: string) => page.locator('.all .row', { hasText: launchId });

test('launches of a running davit appear, connect and end while a person looks', async () => {
  await page.getByText(/^There is no launch yet/).waitFor();
  const one = await davit.launches.request({ profile: 'linux', jobId: 'one' });
  const other = await davit.launches.request({ profile: 'linux', jobId: 'two' });

  await row(one).waitFor(patience);
  await row(one).getByText('connected', { exact: true }).waitFor(patience);
  await row(other).getByText('connected', { exact: true }).waitFor(patience);
  await row(one).getByRole('link').click();
  await page.getByRole('button', { name: 'End this launch' }).click();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.locator('.facts .badge.terminated').waitFor(patience);
  expect(await page.locator('.moments').innerText()).toMatch(
    /requested[^]*the Pod exists[^]*the Pod has a node[^]*davit has published the address[^]*has connected[^]*the Pod and the Service are removed/,
  );
  await page.goBack();
  await row(one).getByText('terminated', { exact: true }).waitFor(patience);
  expect(await row(other).locator('.badge').innerText()).toBe('connected');
});

test("the clusters and the dry run of the sweep are davit's own", async () => {
  await page.getByRole('link', { name: 'Clusters' }).click();
  await page.getByRole('region', { name: 'sandbox' }).getByText('1 connected').waitFor(patience);
  await page.getByRole('link', { name: 'Clean-up' }).click();
  await page.getByRole('button', { name: 'Look now' }).click();

  await page.getByText(/looked at \d+ launches and \d+ objects, 0 left/).waitFor(patience);
});

test('the page reports a davit that ends, and finds it again at another port', async () => {
  await page.getByRole('link', { name: 'Launches' }).click();
  await page.getByText('Live', { exact: true }).waitFor(patience);
  const before = davit.url;
  await davit.kill('SIGTERM');

  await page.getByText(/^Not live for .*davit cannot be reached|^Not live for .*no local davit runs/).waitFor(patience);
  expect(await page.locator('.all .row').count()).toBe(2);
  davit = await start();
  await page.getByText('Live', { exact: true }).waitFor(patience);
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'three' });
  await row(launchId).getByText('connected', { exact: true }).waitFor(patience);
  expect(davit.url).not.toBe(before);
  expect(opened.complaints).toEqual([]);
});

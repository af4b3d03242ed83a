/**
 * Writes the durations of the list's frames to standard output, as JSON. The list has 10,000 launches, and 50 of them
 * change each second. It is measured at rest at its top, and while it scrolls by 100 pixels a frame, thirteen screens a
 * second. A page without a list is measured for comparison.
 *
 *     node test/prove/console/frames.ts SECONDS
 */
import type { Page } from 'playwright-core';
import { createMemoryDavit, type MemoryDavit } from './memory-davit.ts';
import { startBrowser } from './open-console.ts';
import { launchedAgo, placed } from './records.ts';

const count = 10_000;
const changesPerSecond = 50;
const seconds = Number(process.argv[2] ?? '10');

/** Changes launches, half of them among the newest, until it stops. */
function keepChanging({ launches }: MemoryDavit): () => void {
  let changes = 0;
  const change = () => {
    changes += 1;
    const among = changes % 2 === 0 ? 40 : count;
    const launchId = `api-${Math.floor(Math.random() * among)}`;
    const detail = `0/3 nodes are available, seen ${changes} times`;
    const signal = { code: 'Unschedulable', detail, sinceEpochMs: Date.now() };
    launches.records.replace(launchId, (record) => ({ ...record, signal }));
  };
  const timer = setInterval(change, 1000 / changesPerSecond);
  return () => clearInterval(timer);
}

/** The script runs in the page: a frame lasts from one animation frame to the next. */
function framesOf(page: Page, scrolled = 0): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const frames = [];
    const list = document.querySelector('.rows');
    let by = ${scrolled};
    let before = performance.now();
    const until = before + ${seconds * 1000};
    requestAnimationFrame(function next() {
      const now = performance.now();
      frames.push(now - before);
      before = now;
      if (list !== null && by !== 0) {
        list.scrollTop += by;
        if (list.scrollTop === 0 || list.scrollTop + list.clientHeight >= list.scrollHeight) by = -by;
      }
      if (now < until) requestAnimationFrame(next);
      else resolve(frames);
    });
  })`);
}

await using browser = await startBrowser();
const davit = createMemoryDavit();
for (let at = 0; at < count; at += 1) {
  const agoMs = 60_000 + at * 1000;
  const connectedAtEpochMs = Date.now() - agoMs + 30_000;
  await davit.put(launchedAgo(`api-${at}`, agoMs, { status: 'connected', timeline: placed, connectedAtEpochMs }));
}
await using empty = await browser.open(davit.open, { view: '/nothing' });
await empty.page.locator('h1').waitFor();
const frames = { empty: await framesOf(empty.page), atRest: [0], scrolled: [0] };
await using opened = await browser.open(davit.open);
const { page } = opened;
const all = page.getByText(`${count} launches`, { exact: true });
while (!(await all.isVisible())) await page.locator('.rows').evaluate((list) => list.scrollTo(0, list.scrollHeight));
await page.locator('.rows').evaluate((list) => list.scrollTo(0, 0));
await page.locator('.all .row').first().waitFor();
const stop = keepChanging(davit);
frames.atRest = await framesOf(page);
frames.scrolled = await framesOf(page, 100);
stop();
process.stdout.write(`${JSON.stringify(frames)}\n`);

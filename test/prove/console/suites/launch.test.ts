import { createMemoryDavit } from '../memory-davit.ts';
import { type ConsoleBrowser, startBrowser } from '../open-console.ts';
import { davitOfEachKind, launchedAgo, launchesOfEachKind, placed } from '../records.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function openLaunch(launchId: string) {
  const davit = await davitOfEachKind();
  const opened = await browser.open(davit.open, { view: `/launches/${launchId}` });
  await opened.page.locator('.facts').first().waitFor();
  return { davit, page: opened.page, [Symbol.asyncDispose]: opened[Symbol.asyncDispose] };
}

test('a waiting launch shows the reason, the start of its wait, and advice', async () => {
  await using opened = await openLaunch('api-held');
  const { page } = opened;
  const now = page.getByRole('region', { name: 'Now' });

  expect(await now.innerText()).toMatch(
    /for 1 min( \d+ s)?\. QuotaExceeded[^]*exceeded quota: agents[^]*What to do: Raise the quota/,
  );
  expect(await page.getByRole('region', { name: 'Timeline' }).innerText()).toMatch(/requested[^]*QuotaExceeded/);
});

test('a launch with a running job shows each of its phases', async () => {
  await using opened = await openLaunch('api-running');
  const { page } = opened;

  expect(await page.locator('.legend').innerText()).toMatch(
    /davit makes the Service: 60 ms[^]*the Pod waits for a node: 18 s, the longest without an agent[^]*the agent starts: 11 s[^]*the agent is connected: 30 s[^]*the job runs: 7 min.* so far/,
  );
  expect(await page.getByRole('img').getAttribute('aria-label')).toMatch(/^davit makes the Service: 60 ms, /);
  expect(await page.getByRole('link', { name: 'https://ci.example/jobs/9' }).getAttribute('rel')).toBe('noreferrer');
});

test('an ended launch shows each of its phases as long as it lasted', async () => {
  await using opened = await openLaunch('api-terminated');
  const { page } = opened;
  const widths = await page
    .locator('.line.large .phase')
    .evaluateAll((phases) => phases.map(({ className, clientWidth }) => `${className} ${clientWidth}`));
  const widthOf = (name: string) => Number(widths.find((width) => width.startsWith(`phase ${name} `))?.split(' ')[2]);

  expect(widths.map((width) => width.split(' ')[1])).toEqual(
    'service port pod scheduled host token containers connecting idle running leaving cleaning'.split(' '),
  );
  expect(widthOf('running')).toBeGreaterThan(10 * widthOf('scheduled'));
  expect(widthOf('scheduled')).toBeGreaterThan(widthOf('containers'));
  expect(widthOf('port')).toBeGreaterThan(0);
  expect(await page.getByRole('region', { name: 'Timeline' }).innerText()).toMatch(
    /the Pod has a node[^]*its address is known[^]*the containers have started[^]*has connected/,
  );
});

test('a life of several days shows each day once', async () => {
  const davit = createMemoryDavit();
  const dayMs = 24 * 3_600_000;
  const connectedAtEpochMs = Date.now() - 2 * dayMs;
  await davit.put(launchedAgo('api-old', 3 * dayMs, { status: 'connected', connectedAtEpochMs }));
  await davit.put(launchedAgo('api-new', 0));
  await using old = await browser.open(davit.open, { view: '/launches/api-old' });
  await using present = await browser.open(davit.open, { view: '/launches/api-new' });
  const moments = old.page.locator('.moments li');
  await moments.nth(1).waitFor();
  await present.page.locator('.moments li').first().waitFor();

  const days = await moments.locator('.day').allInnerTexts();

  expect(days).toEqual([expect.stringMatching(/\d{4}$/), expect.stringMatching(/\d{4}$/)]);
  expect(days[0]).not.toBe(days[1]);
  expect(await moments.nth(1).innerText()).toMatch(/\+1 d\s+davit-api-old has connected/);
  expect(await present.page.locator('.day').count()).toBe(0);
});

test('a failed launch shows its cause once, then what to do, the log, the Events, and last its timeline', async () => {
  await using opened = await openLaunch('api-failed');
  const { page } = opened;

  expect(await page.locator('main').innerText()).toMatch(
    /Why it failed[^]*ImagePullFailed[^]*What to do: [^]*no such option: --once[^]*Failed to pull image[^]*Timeline/,
  );
  expect(await page.locator('main').innerText()).not.toMatch(/state machine|PollHostIP/);
  expect(await page.getByText('manifest unknown', { exact: false }).count()).toBe(2);
  expect(await page.getByRole('button', { name: 'End this launch' }).count()).toBe(0);
});

test('a launching agent shows its step, its Pod, when davit gives up, and the commands to look', async () => {
  const davit = createMemoryDavit();
  const podState = { detail: 'phase Running; container agent running', atEpochMs: Date.now() };
  await davit.put(launchedAgo('api-glass', 120_000, { timeline: placed, podState }));
  await using opened = await browser.open(davit.open, { view: '/launches/api-glass' });
  const now = opened.page.getByRole('region', { name: 'Now' });
  await now.waitFor();

  expect(await now.innerText()).toMatch(
    /The agent has not connected yet, for [12] min \d+ s\.[^]*phase Running; container agent running[^]*gives up in [78] min \d+ s[^]*connectSeconds[^]*davit logs api-glass --follow[^]*describe pod davit-api-glass/,
  );
});

describe('ending a launch', () => {
  test('asks for a confirmation, then ends it, and leaves the focus on the title, because its button is gone', async () => {
    await using opened = await openLaunch('api-running');
    const { davit, page } = opened;

    await page.getByRole('button', { name: 'End this launch' }).click();
    const dialog = page.getByRole('dialog', { name: 'End integration tests?' });
    expect(await dialog.innerText()).toMatch(/Its agent runs a job, which is lost/);
    expect(davit.asked).not.toContain('DELETE /launches/api-running');
    await dialog.getByRole('button', { name: 'End it' }).click();

    await page.locator('.facts .badge.cleaning').waitFor();
    expect((await davit.launches.get('api-running'))?.ending).toMatchObject({
      by: 'DELETE /launches',
      actor: { kind: 'person' },
    });
    expect(await page.getByRole('button', { name: 'End this launch' }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('title');
  });

  test('does nothing if the person keeps it, by the button or by Escape', async () => {
    await using opened = await openLaunch('api-starting');
    const { davit, page } = opened;
    const end = page.getByRole('button', { name: 'End this launch' });

    await end.click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await end.click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    expect((await davit.launches.get('api-starting'))?.status).toBe('launching');
    expect(davit.asked.filter((asked) => asked.startsWith('DELETE'))).toEqual([]);
  });

  test('says so if the launch ends while the person is asked', async () => {
    await using opened = await openLaunch('api-running');
    const { davit, page } = opened;
    await page.getByRole('button', { name: 'End this launch' }).click();
    const dialog = page.getByRole('dialog');
    const [over] = launchesOfEachKind().filter(({ status }) => status === 'terminated');

    if (over !== undefined) await davit.put({ ...over, launchId: 'api-running' });

    await dialog.getByText('It has ended in the meantime').waitFor();
    expect(await dialog.getByRole('button', { name: 'End it' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'End this launch' }).count()).toBe(0);
    // A dialog's close event comes after it is hidden.
    await page.locator('#title:focus').waitFor();
  });

  test("shows davit's refusal", async () => {
    await using opened = await openLaunch('api-starting');
    const { page } = opened;
    await page.route('**/api/launches/api-starting', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 403, contentType: 'application/json', body: '{"message":"Forbidden"}' })
        : route.continue(),
    );

    await page.getByRole('button', { name: 'End this launch' }).click();
    await page.getByRole('button', { name: 'End it' }).click();

    await page.getByRole('alert').getByText('Forbidden').waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'End this launch' }).click();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

test('a davit that has stopped answering is reported while the request is under way', async () => {
  await using opened = await openLaunch('api-running');
  const { page } = opened;
  await page.getByText('Live', { exact: true }).waitFor();

  await page.route('**/api/launches/api-running', () => undefined);

  await page.getByText(/^Not live for .*: davit has not answered yet$/).waitFor();
  await page.unrouteAll();
});

test('an unknown launch is not there, and the page asks no more for it', async () => {
  const davit = createMemoryDavit();
  await using opened = await browser.open(davit.open, { view: '/launches/api-unknown' });
  const { page } = opened;

  await page.getByRole('heading', { name: 'There is no such launch' }).waitFor();
  expect(await page.locator('main').innerText()).toMatch(/^404[^]*api-unknown[^]*14 days/);
  expect(await page.getByText(/asks again/).count()).toBe(0);
});

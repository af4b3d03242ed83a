import { eventually } from '../../../support/eventually.ts';
import { seenJob } from '../../../support/seen-job.ts';
import { createMemoryDavit } from '../memory-davit.ts';
import { type ConsoleBrowser, startBrowser } from '../open-console.ts';
import { davitOfEachKind, launchedAgo, partialSweep, queueJobs, reportAway } from '../records.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

test('a disconnected cluster shows the reason, the start, and its earlier connection', async () => {
  const davit = createMemoryDavit(['sandbox', 'eu']);
  await reportAway(davit, 'eu');
  await using opened = await browser.open(davit.open, { view: '/clusters' });
  const { page } = opened;

  const away = page.getByRole('region', { name: 'eu' });
  await away.waitFor();
  expect(await away.innerText()).toMatch(/disconnected, for [^]*Unreachable connect ECONNREFUSED/);
  expect(await page.getByRole('region', { name: 'sandbox' }).innerText()).toMatch(/unknown/);
  await away.getByRole('link', { name: 'eu' }).click();
  const history = page.getByRole('table', { name: /How its connection has changed/ });
  await history.waitFor();
  expect(await history.locator('tbody tr .badge').allInnerTexts()).toEqual(['disconnected', 'connected']);
  expect(opened.complaints).toEqual([]);
});

test('a namespace that is away shows the reason, in a cluster that is connected', async () => {
  const davit = createMemoryDavit(['eu']);
  const now = Date.now();
  for (const ago of [12_000, 8000, 4000]) {
    const times = { beganAtEpochMs: now - ago, endedAtEpochMs: now - ago };
    const failed = { kind: 'failed', reason: 'NamespaceMissing', error: 'namespaces "agents" not found' } as const;
    const namespaces = [{ namespace: 'agents', ...failed, ...times }];
    await davit.clusterStates.report({ cluster: 'eu', kind: 'works', endedAtEpochMs: now - ago, namespaces });
  }
  await using opened = await browser.open(davit.open, { view: '/clusters' });
  const cluster = opened.page.getByRole('region', { name: 'eu' });

  await cluster.waitFor();

  expect(await cluster.innerText()).toMatch(
    /connected, for [^]*Namespace agents[^]*disconnected, for [^]*NamespaceMissing/,
  );
  await cluster.getByRole('link', { name: 'eu' }).click();
  const history = opened.page.getByRole('table', { name: /How its connection has changed/ });
  await history.waitFor();
  expect(await history.innerText()).toMatch(/namespace agents: disconnected/);
  expect(opened.complaints).toEqual([]);
});

test('a cluster that davit.yaml does not have any more shows what to do', async () => {
  const davit = await davitOfEachKind(['eu']);
  const left = { cluster: 'sandbox', kind: 'left', launchId: 'api-7', namespace: 'davit-agents' } as const;
  await davit.clusterStates.report({ ...left, atEpochMs: Date.now() });
  await using opened = await browser.open(davit.open, { view: '/clusters' });
  const removed = opened.page.getByRole('region', { name: 'sandbox' });

  await removed.waitFor();

  expect(await removed.innerText()).toMatch(
    /removed[^]*2 launching, 1 connected, 1 cleaning[^]*1 launch may have left objects[^]*kubectl/,
  );
});

test('a queued job shows what holds it, and links to its launch', async () => {
  const davit = createMemoryDavit();
  await queueJobs(davit);
  await using opened = await browser.open(davit.open, { view: '/queue' });
  const { page } = opened;
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
  await row('build').waitFor();

  expect(await row('train').innerText()).toMatch(/none\s+gpu[^]*2 min[^]*no profile/);
  expect(await row('lint').innerText()).toMatch(/linux[^]*davit has not requested an agent for it yet/);
  expect(await row('build').innerText()).toMatch(/Unschedulable: 0\/3 nodes are available/);
  await row('build').getByRole('link').last().click();
  await page.getByText('No node has room for the Pod.').waitFor();
  expect(opened.complaints).toEqual([]);
});

test('a long queue is where the person left it, after a look at the launch of a job', async () => {
  const davit = createMemoryDavit();
  const now = Date.now();
  for (let at = 0; at < 100; at += 1) {
    const launchId = `gitea-7-${at}-1`;
    const job = await davit.jobs.note(seenJob({ jobId: at, queuedAtEpochMs: now - 200_000 + at * 1000 }), now);
    await davit.jobs.claimLaunch(job, 0, launchId, now);
    await davit.put(launchedAgo(launchId, 90_000));
  }
  await using opened = await browser.open(davit.open, { view: '/queue' });
  const { page } = opened;
  const scrollTop = () => page.evaluate<number>('scrollY');
  const link = page.getByRole('link', { name: 'davit-gitea-7-80-1' });

  await link.scrollIntoViewIfNeeded();
  const before = await scrollTop();
  await link.click();
  await page.getByRole('heading', { name: 'build gitea-7-80-1' }).waitFor();
  const there = await scrollTop();
  await page.goBack();
  await link.waitFor();

  expect(before).toBeGreaterThan(1000);
  expect(there).toBe(0);
  await eventually(async () => expect(await scrollTop()).toBe(before));
});

test('the queue is grouped by what the jobs wait for, and says which webhooks were refused', async () => {
  const davit = createMemoryDavit();
  await queueJobs(davit);
  const why = 'the signature is missing';
  await davit.refusedWebhooks.note({ ciSystem: 'gitea', count: 3, why, atEpochMs: Date.now() });
  await using opened = await browser.open(davit.open, { view: '/queue' });
  const { page } = opened;
  await page.locator('tbody tr').nth(2).waitFor();

  expect(await page.locator('h2').allInnerTexts()).toEqual([
    'davit refuses webhooks',
    expect.stringMatching(/^No profile takes them\s+1 job/),
    expect.stringMatching(/^No agent has been requested\s+1 job/),
    expect.stringMatching(/^Their agent starts\s+1 job/),
  ]);
  expect(await page.locator('main').innerText()).toMatch(
    /3 of gitea since [^]*the signature is missing[^]*What to do: /,
  );
});

test('the cost is by repository and workflow, at the given prices', async () => {
  const davit = await davitOfEachKind();
  const settings = { pricePerHour: { linux: 6 }, dollarsPerLaunch: 0.0003 };
  await using opened = await browser.open(davit.open, { view: '/cost', settings });
  const { page } = opened;
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

  await page.getByText('6 launches.').waitFor();
  // 10 min 30 s of an ended launch, and 8 min of a running one, at 10 cents a minute.
  expect(await row('acme/shop · CI').locator('td').allInnerTexts()).toEqual([
    '2',
    expect.stringMatching(/^18 min/),
    expect.stringMatching(/^\$1\.8\d$/),
    '$0.0006',
  ]);
  expect(await row('all').locator('td').first().innerText()).toBe('6');
  await page.getByRole('link', { name: 'a week' }).click();
  await eventually(() => expect(page.url()).toMatch(/#\/cost\?days=7$/));
  expect(opened.complaints).toEqual([]);
});

test('a profile without a price has no made-up cost', async () => {
  const davit = await davitOfEachKind();
  await using opened = await browser.open(davit.open, { view: '/cost' });

  await opened.page.getByText('6 launches.').waitFor();

  expect(await opened.page.getByRole('row', { name: /^all/ }).innerText()).toMatch(/no price\s+\$0\.0000$/);
});

test('a cost that cannot be read is read again on request', async () => {
  const davit = await davitOfEachKind();
  await using opened = await browser.open(davit.open, { view: '/queue' });
  const { page } = opened;
  const broken = { status: 500, contentType: 'application/json', body: '{"message":"Internal Server Error"}' };
  await page.route('**/api/launches?*', (route) => route.fulfill(broken), { times: 1 });

  await page.getByRole('link', { name: 'Cost' }).click();
  await page.getByRole('alert').getByText('Internal Server Error').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();

  await page.getByText('6 launches.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test("a sweep's dry run shows the actions of a sweep", async () => {
  const davit = createMemoryDavit(['sandbox'], partialSweep);
  await using opened = await browser.open(davit.open, { view: '/sweep' });
  const { page } = opened;

  await page.getByRole('button', { name: 'Look now' }).click();

  const found = page.getByRole('region', { name: 'What it would do' });
  await found.waitFor();
  expect(await found.innerText()).toMatch(
    /could not read everything[^]*cluster eu: connect[^]*1 found; looked at 4 launches and 5 objects, 0 left[^]*launch api-7: CleanUpUnfinished, found/,
  );
  expect(opened.complaints).toEqual([]);
});

test.each([
  ['an empty queue', '/queue', 'No job that davit knows of is queued.'],
  ['an unknown view', '/nothing', 'There is no such page'],
  ["davit's reason for refusing a filter", '/launches?repository=app', /expected a repository such as acme\/app/],
  ['that a filter by profile finds nothing', '/launches?profile=other', 'There is no such launch.'],
  ['that a filter by cluster finds nothing', '/launches?cluster=other', 'There is no such launch.'],
])('the page says so: %s', async (_what, view, words) => {
  await using opened = await browser.open((await davitOfEachKind()).open, { view });

  await opened.page.getByText(words).first().waitFor();

  expect(await opened.page.locator('.all .row').count()).toBe(0);
});

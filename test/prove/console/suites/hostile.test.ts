import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { eventually } from '../../../support/eventually.ts';
import { createMemoryDavit, type MemoryDavit } from '../memory-davit.ts';
import { type ConsoleBrowser, type OpenConsole, startBrowser } from '../open-console.ts';
import { launchedAgo, queueJobs, reportAway } from '../records.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const hostile = `<img src=x onerror="document.title='owned'">"'\`\${1}{{1}}&lt;\u202Etxt\u0000</script><script>document.title='owned'</script>`;
const name = '<img onerror>';

/** A launch whose every foreign text contains something hostile. */
async function hostileDavit(): Promise<MemoryDavit> {
  const davit = createMemoryDavit([name]);
  const job = { name: hostile, repository: hostile, workflow: hostile, runId: 1, attempt: 1 };
  const link = 'javascript:document.title="owned"';
  const words = { code: hostile, message: hostile };
  await davit.put(
    launchedAgo('api-hostile', 60_000, {
      status: 'failed',
      plan: { ...planOf('api-hostile'), profile: name, cluster: name, namespace: hostile, job, sourceUrl: link },
      generations: [{ agentName: 'davit-api-hostile', ...words, endedAtEpochMs: Date.now() - 50_000 }],
      signal: { code: hostile, container: hostile, detail: hostile, sinceEpochMs: Date.now() - 50_000 },
      runs: { jobKey: 'k', sinceEpochMs: Date.now() - 40_000, job, url: link },
      ran: { conclusion: hostile, atEpochMs: Date.now() - 30_000 },
      ending: {
        outcome: 'failed',
        ...words,
        by: hostile,
        actor: { kind: 'person', name: hostile },
        atEpochMs: Date.now() - 20_000,
      },
      diagnostics: {
        atEpochMs: Date.now(),
        events: [{ type: hostile, reason: hostile, message: hostile, count: 1 }],
        log: { container: hostile, text: hostile },
        unread: [hostile],
      },
    }),
  );
  await davit.put(
    launchedAgo('api-held', 60_000, {
      plan: { ...planOf('api-held'), profile: name, cluster: name, job },
      signal: { code: hostile, detail: hostile, sinceEpochMs: Date.now() },
    }),
  );
  await reportAway(davit, name, hostile);
  const repository = { owner: hostile, name: hostile };
  const from = { name: hostile, repository, workflow: hostile, url: link, labels: [hostile] };
  await queueJobs(davit, from);
  return davit;
}

async function expectOnlyText({ page, complaints }: OpenConsole): Promise<void> {
  expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
  const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.filter((href) => href?.startsWith('#') !== true)).toEqual([]);
  expect(complaints).toEqual([]);
}

describe('foreign texts are text and nothing else', () => {
  test.each([
    ['/launches', '.all .row >> nth=1'],
    ['/launches/api-hostile', '.moments'],
    ['/launches/api-held', '.moments'],
    ['/now', '.causes li >> nth=2'],
    [`/launches/${encodeURIComponent(hostile)}`, '.faint'],
    [`/launches?profile=${encodeURIComponent(name)}`, '.all .row >> nth=1'],
    ['/queue', 'tbody tr >> nth=2'],
    ['/clusters', '.facts >> nth=1'],
    [`/clusters/${encodeURIComponent(name)}`, 'table'],
    ['/cost', 'tfoot'],
    [`/${encodeURIComponent(hostile)}`, 'h1'],
  ])('%s', async (view, shown) => {
    const davit = await hostileDavit();
    await using opened = await browser.open(davit.open, { view, settings: { davit: hostile } });

    await opened.page.locator(shown).waitFor();

    await expectOnlyText(opened);
    expect(await opened.page.locator('header').innerText()).toContain('<img src=x onerror=');
  });

  test('and are shown for reading', async () => {
    const davit = await hostileDavit();
    await using opened = await browser.open(davit.open, { view: '/launches/api-hostile' });
    const { page } = opened;
    await page.locator('.moments').waitFor();

    expect(await page.locator('h1').innerText()).toContain(`<img src=x onerror="document.title='owned'">`);
    expect(await page.locator('pre').innerText()).toContain('</script><script>');
    expect(await page.getByText(name, { exact: true }).count()).toBeGreaterThan(1);
  });
});

describe("the page's policy", () => {
  test.each([
    ['an inline script', "const s = document.createElement('script'); s.textContent = 'x'; document.body.append(s)"],
    ['HTML from text', "document.body.innerHTML = '<b>x</b>'"],
    ['a script from text', "setTimeout('document.title = 1')"],
    ['an inline style', "document.head.append(Object.assign(document.createElement('style'), { textContent: 'a{}' }))"],
    [
      'an image from elsewhere',
      "document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))",
    ],
    ['a request to elsewhere', "fetch('http://127.0.0.1:9/').catch(() => undefined)"],
  ])('stops %s', async (_what, script) => {
    await using opened = await browser.open(createMemoryDavit().open);
    const { page, complaints } = opened;
    await page.locator('h1').waitFor();

    await page.evaluate(script).catch((error: unknown) => complaints.push(String(error)));

    await eventually(() => expect(complaints.join('\n')).toMatch(/Content Security Policy|Trusted/));
  });
});

test('a browser without the cookie shows nothing, and a used link opens nothing', async () => {
  await using opened = await browser.open(createMemoryDavit().open);
  const { page, url } = opened;
  await page.locator('h1').waitFor();
  const cookies = await page.context().cookies();
  expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict' })]);
  await page.context().clearCookies();

  await page.goto(url);

  expect(await page.locator('body').innerText()).toMatch(/Open the link that `davit console` printed/);
});

test.each(['127.0.0.1', 'localhost', 'another.localhost'])(
  'another program of this machine, to which a page leads at %s, gets no cookie of the console',
  async (host) => {
    const cookies: (string | undefined)[] = [];
    await using stranger = await startLoopbackServer(({ headers }, response) => {
      cookies.push(headers.cookie);
      response.end('<!doctype html><link rel=icon href="data:,">');
    });
    await using opened = await browser.open(createMemoryDavit().open);
    const { page } = opened;
    await page.locator('h1').waitFor();

    await page.goto(`http://${host}:${stranger.port}/`);

    expect(new Set(cookies)).toEqual(new Set([undefined]));
    expect(await page.context().cookies()).toEqual([expect.objectContaining({ name: 'davit-console' })]);
  },
);

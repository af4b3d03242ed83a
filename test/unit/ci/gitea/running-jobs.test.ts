import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

const scope = { organization: 'acme' };
let server: LoopbackServer;
/** The jobs that run; job N runs on runner 1000 + N. */
let running: number[];
let deleted: string[];
/** How many of the first jobs end after each request. */
let endAfterEach: number;
/** Gitea's MAX_RESPONSE_ITEMS: it reduces larger limits to this, also for the first item of a page. */
let mostItems: number;
/** The runners that Gitea shows one by one. */
let states: Map<string, { disabled: boolean; busy: boolean }>;

beforeEach(async () => {
  [running, deleted, endAfterEach] = [Array.from({ length: 60 }, (_, index) => index + 1), [], 1];
  mostItems = 50;
  states = new Map();
  server = await startLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'DELETE') {
      deleted.push(pathname);
      response.writeHead(204).end();
      return;
    }
    const state = states.get(pathname);
    if (request.method === 'PATCH' || state !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(state ?? {}));
      return;
    }
    const limit = Math.min(mostItems, Number(searchParams.get('limit')));
    const from = (Number(searchParams.get('page')) - 1) * limit;
    const shown = running.slice(from, from + limit);
    response.writeHead(200, { 'content-type': 'application/json' });
    const runners = shown.map((id) => ({ id: 1000 + id, name: `davit-${id}` }));
    const hooks = shown.map((id) => ({ id, active: true, events: [], config: { url: `https://${id}.example` } }));
    const lists = { jobs: shown.map(jobOf), runners, total_count: running.length };
    response.end(JSON.stringify(pathname.endsWith('/hooks') ? hooks : lists));
    running = running.slice(endAfterEach);
  });
});

afterEach(() => server.stop());

function jobOf(id: number) {
  const run = { run_attempt: 1, run_id: id, html_url: `${server.url}/acme/app/actions/runs/${id}` };
  const runner = { runner_id: 1000 + id, runner_name: `runner ${id}` };
  return { id, name: 'build', labels: [], head_sha: 'c0ffee', created_at: '2026-01-01T00:00:00Z', ...run, ...runner };
}

function gitea() {
  return createGitea({ name: 'gitea', url: server.url, readToken: async () => 'token', timeoutMs: 60_000 });
}

test('a Gitea keeps the runner of a job that another job pulls over the border of two pages', async () => {
  expect(await gitea().removeIfIdle(scope, 1051)).toBe('busy');
  expect(deleted).toEqual([]);
});

test('a Gitea removes a runner that no page has', async () => {
  expect(await gitea().removeIfIdle(scope, 2000)).toBe('removed');
  expect(deleted).toHaveLength(1);
});

test.each([
  { busy: true, removal: 'busy', deletions: 0 },
  { busy: false, removal: 'removed', deletions: 1 },
])(
  'a stopped runner without a job in progress, busy $busy, is $removal: it may run the last steps of a cancelled job',
  async ({ busy, removal, deletions }) => {
    states.set('/api/v1/orgs/acme/actions/runners/2000', { disabled: true, busy });
    const ci = gitea();
    await ci.stopAssigning(scope, 2000);

    expect(await ci.removeIfIdle(scope, 2000)).toBe(removal);
    expect(deleted).toHaveLength(deletions);
  },
);

test('a Gitea keeps every runner while jobs end faster than their list is read', async () => {
  [running, endAfterEach] = [Array.from({ length: 600 }, (_, index) => index + 1), 20];

  await expect(gitea().removeIfIdle(scope, 2000)).rejects.toMatchObject({ code: 'CiUnavailable' });
  expect(deleted).toEqual([]);
});

test('a Gitea whose pages are shorter than davit asks for shows the runners page by page, and the end by an empty page', async () => {
  [mostItems, endAfterEach] = [7, 0];
  const lengths: number[] = [];
  let isLast = false;
  for (let page = 1; !isLast && page < 20; page += 1) {
    const read = await gitea().runnersOnPage(scope, 'davit-', page);
    lengths.push(read.runners.length);
    isLast = read.isLast;
  }

  expect(lengths).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4, 0]);
});

test('a Gitea shows the runner that another runner pulls over the border of two pages', async () => {
  const found = await gitea().findRunners(scope, 'davit-');

  expect(found).toContainEqual({ id: 1051, name: 'davit-51' });
});

test('a Gitea whose pages are shorter than davit asks for shows every webhook', async () => {
  [mostItems, endAfterEach] = [7, 0];

  expect(await gitea().listWebhooks(scope)).toHaveLength(60);
});

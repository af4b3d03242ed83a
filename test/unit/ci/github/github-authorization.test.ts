import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createGithub } from '../../../../ci/github/create-github.ts';
import { byApp } from '../../../../ci/github/github-authorization.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';

const scope = { organization: 'acme' };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let server: LoopbackServer;

afterEach(() => server.stop());

async function startApp(listener: RequestListener, timeoutMs = 60_000): Promise<CiSystem> {
  server = await startLoopbackServer(listener);
  const app = byApp({ appId: 1, readPrivateKey: async () => pem }, server.url, timeoutMs);
  return createGithub({ name: 'github', apiUrl: server.url, ...app, timeoutMs });
}

test('a GitHub that does not answer for an installation is unavailable', async () => {
  const github = await startApp(() => {}, 200);

  await expect(github.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiUnavailable' });
});

test('an App that was installed again gets its new installation at the next call', async () => {
  let installation = 1;
  const expiresAt = '2100-01-01T00:00:00Z';
  const github = await startApp(({ url = '' }, response) => {
    const answers: Record<string, unknown> = {
      '/orgs/acme/installation': { id: installation },
      '/app/installations/2/access_tokens': { token: 'new', expires_at: expiresAt, permissions: {} },
      '/orgs/acme/actions/runners': { total_count: 0, runners: [] },
    };
    const answer = answers[url.split('?', 1)[0] ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'Not Found' }));
  });

  await expect(github.findRunners(scope, 'davit-')).rejects.toMatchObject({ code: 'CiRefused' });
  installation = 2;

  expect(await github.findRunners(scope, 'davit-')).toEqual([]);
});

test('an App that is not installed at an owner refuses, and takes no repository there for deleted', async () => {
  const github = await startApp((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'Not Found' }));
  });

  const asked = github.listJobs({ repository: { owner: 'acme', name: 'app' } }, ['queued']);

  await expect(asked).rejects.toMatchObject({
    code: 'CiRefused',
    detail: expect.stringContaining("the App's installation there: 404: Not Found"),
  });
});

test('a delivery whose id has 64 bits is listed and repeated by that id', async () => {
  const repeated: string[] = [];
  const github = await startApp(({ method, url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    if (method === 'POST') {
      repeated.push(url);
      response.writeHead(202).end('{}');
      return;
    }
    const rest = '"guid": "g", "event": "workflow_job", "status_code": 503, "delivered_at": "2026-01-01T00:00:00Z"';
    response.end(`[{"id": 3804004623172239366, ${rest}}, {"id": 199287304442, ${rest}}]`);
  });

  const { attempts } = await github.listDeliveries();
  for (const { id } of attempts) await github.redeliver(id);

  expect(repeated).toEqual([
    '/app/hook/deliveries/3804004623172239366/attempts',
    '/app/hook/deliveries/199287304442/attempts',
  ]);
});

test('an error has no page of a proxy in front of GitHub in it', async () => {
  const github = await startApp((_request, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>the secrets of a proxy</html>');
  });

  await expect(github.listDeliveries()).rejects.toMatchObject({
    code: 'CiUnavailable',
    detail: 'github: GET /app/hook/deliveries: 502',
  });
});

test('the deliveries of a busy hook are read page by page, and one without an answer has failed', async () => {
  const deliveryOf = (id: number, guid: string, code: number) => {
    return { id, guid, event: 'workflow_job', status_code: code, delivered_at: `2026-01-01T00:00:${60 - id}Z` };
  };
  const pages = [[deliveryOf(1, 'new', 202)], [deliveryOf(2, 'lost', 0), deliveryOf(3, 'failed', 503)]];
  const github = await startApp(({ url = '' }, response) => {
    const page = Number(new URL(url, server.url).searchParams.get('cursor') ?? 0);
    const isLast = page === pages.length - 1;
    const next = `<${server.url}/app/hook/deliveries?per_page=100&cursor=${page + 1}>; rel="next"`;
    response.writeHead(200, { 'content-type': 'application/json', ...(isLast ? {} : { link: next }) });
    response.end(JSON.stringify(pages[page]));
  });

  const newest = await github.listDeliveries();
  const older = await github.listDeliveries(newest.next);

  expect(newest.attempts.map(({ guid, hasSucceeded }) => [guid, hasSucceeded])).toEqual([['new', true]]);
  expect(older.attempts.map(({ guid, hasSucceeded }) => [guid, hasSucceeded])).toEqual([
    ['lost', false],
    ['failed', false],
  ]);
  expect(older.next).toBeUndefined();
});

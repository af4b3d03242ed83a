import { type IncomingMessage, request } from 'node:http';
import type { Connection } from '../../../../cli/api/connection.ts';
import { CliError } from '../../../../cli/cli-error.ts';
import { createForwarder } from '../../../../cli/console/forward.ts';
import { type Console, serveConsole } from '../../../../cli/console/serve-console.ts';
import type { SweepReport } from '../../../../functions/sweep/sweep-report.ts';
import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { nothingFound } from '../../../support/sweep-reports.ts';

const files = { 'index.html': '<!doctype html>', 'console.js': '1', 'console.css': 'a{}', 'icon.svg': '<svg/>' };
const settings = { davit: 'local', version: '0', pricePerHour: {} };

/** A request to davit: method, path, caller. */
const asked: string[] = [];
let davit: () => Promise<Connection>;
let console: Console;
let cookie: string;

const report: SweepReport = { ...nothingFound, dryRun: true };

/** A davit that answers every request with a description of the request. */
const answering: Connection = {
  url: 'http://davit.example',
  fetch: async ({ method, url, headers }) => {
    asked.push(`${method} ${url}`);
    return headers.get('if-none-match') === 'W/"1"'
      ? new Response(null, { status: 304, headers: { etag: 'W/"1"' } })
      : Response.json({ url }, { headers: { etag: 'W/"1"' } });
  },
  run: async (_name, payload) => {
    asked.push(JSON.stringify(payload));
    return report;
  },
};

const serve = (open = async () => answering) => serveConsole({ files, settings, davit: createForwarder(open) });

beforeAll(async () => {
  davit = async () => answering;
  console = await serve(() => davit());
  cookie = (await send('GET', console.link)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
});
afterAll(() => console.stop());

interface Sent {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends any header, including `Host`. */
function send(method: string, where: string, headers: Record<string, string> = {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const { host, port } = URL.parse(where) ?? new URL(console.url);
    const { pathname, search } = new URL(where, console.url);
    const options = { host: '127.0.0.1', port, path: pathname + search, method, headers: { host, ...headers } };
    const read = async (answer: IncomingMessage) => {
      const body = (await answer.toArray()).join('');
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
    };
    request(options, (answer) => void read(answer))
      .on('error', reject)
      .end();
  });
}

/** The headers that the console's own page sends. */
function sendAsPage(method: string, where: string, headers: Record<string, string> = {}): Promise<Sent> {
  const own = { cookie, 'sec-fetch-site': 'same-origin', ...(method === 'GET' ? {} : { origin: console.url }) };
  return send(method, where, { ...own, ...headers });
}

describe('the link', () => {
  test('is exchanged once for a cookie that no script and no other site can read', async () => {
    const other = await serve();
    const opened = await send('GET', other.link);
    const again = await send('GET', other.link);
    await other.stop();

    expect(opened).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(/^davit-console=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    expect(again.status).toBe(401);
    expect(again.headers).not.toHaveProperty('set-cookie');
  });

  test('is at a host name that nobody can guess, and of this console alone', async () => {
    const other = await serve();
    await other.stop();

    for (const { url, link } of [console, other]) {
      expect(url).toMatch(/^http:\/\/[\da-f]{32}\.localhost:\d+$/);
      expect(link.startsWith(`${url}/open?token=`)).toBe(true);
    }
    expect(new URL(other.url).hostname).not.toBe(new URL(console.url).hostname);
  });

  test('opens nothing when it is wrong, and the right one stays valid', async () => {
    const other = await serve();
    const wrong = await send('GET', `${other.url}/open?token=guessed`);
    const right = await send('GET', other.link);
    await other.stop();

    expect([wrong.status, right.status]).toEqual([401, 303]);
  });
});

test('the console has its port on both loopback addresses, since a browser may ask at either', async () => {
  const { port } = new URL(console.url);

  const taken = await startLoopbackServer(() => {}, { port: Number(port), host: '::1' }).then(
    async (server) => server.stop(),
    ({ code }: NodeJS.ErrnoException) => code,
  );

  expect(['EADDRINUSE', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(taken);
});

describe('the console refuses', () => {
  test.each([
    ['nobody known', 'GET', '/', {}, 401],
    ['a wrong cookie', 'GET', '/api/launches', { cookie: 'davit-console=x' }, 401],
    ['the name of another host', 'GET', '/', { host: 'rebound.example' }, 403],
    ['localhost, by its name', 'GET', '/', { host: 'localhost:80' }, 403],
    ['this machine, by its address', 'GET', '/', { host: '127.0.0.1' }, 403],
    ['the page of another origin', 'GET', '/api/launches', { origin: 'https://other.example' }, 403],
    ['a page without an origin', 'DELETE', '/api/launches/a', { origin: 'null' }, 403],
    ['another site', 'GET', '/api/launches', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of this machine', 'GET', '/api/launches', { 'sec-fetch-site': 'same-site' }, 403],
  ])('%s', async (_who, method, where, headers, status) => {
    const before = asked.length;
    const known = status === 401 ? {} : { cookie };

    const answer = await send(method, where, { ...known, ...headers });

    expect(answer.status).toBe(status);
    expect(asked).toHaveLength(before);
  });

  test('a changing request without an origin', async () => {
    expect(await send('DELETE', '/api/launches/a', { cookie })).toMatchObject({ status: 403 });
  });
});

test('every answer, including refusals, has the strict headers', async () => {
  const answers = [
    await sendAsPage('GET', '/'),
    await sendAsPage('GET', '/api/launches'),
    await sendAsPage('GET', '/nothing'),
    await send('GET', '/'),
    await send('GET', console.link),
  ];

  for (const { headers } of answers) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|\*|data:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

describe('the console forwards', () => {
  test.each([
    ['GET', '/launches?status=failed,launching&limit=5'],
    ['GET', '/launches/a%2Fb'],
    ['DELETE', '/launches/a'],
    ['GET', '/jobs?limit=5'],
    ['GET', '/clusters'],
    ['GET', '/clusters/one'],
  ])('%s /api%s', async (method, path) => {
    const answer = await sendAsPage(method, `/api${path}`);
    const url = `http://davit.example${path}`;

    expect(answer).toMatchObject({ status: 200, headers: { etag: 'W/"1"' }, body: JSON.stringify({ url }) });
    expect(asked.at(-1)).toBe(`${method} ${url}`);
  });

  test('no body to a page that already has it', async () => {
    const answer = await sendAsPage('GET', '/api/launches', { 'if-none-match': 'W/"1"' });

    expect(answer).toMatchObject({ status: 304, headers: { etag: 'W/"1"' }, body: '' });
  });

  test.each([
    ['POST', '/api/launches'],
    ['DELETE', '/api/launches'],
    ['POST', '/api/webhooks/github'],
    ['POST', '/api/agents/a/connect'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/jobs/7'],
    ['GET', '/api/launches/../openapi.json'],
    ['GET', '/apilaunches'],
    ['GET', '//other.example/launches'],
  ])('nothing for %s %s', async (method, where) => {
    const before = asked.length;

    const { status } = await sendAsPage(method, where);

    expect(status).toBe(404);
    expect(asked).toHaveLength(before);
  });

  test('a sweep, always as a dry run', async () => {
    const answer = await sendAsPage('POST', '/api/sweep?dryRun=false');

    expect(asked.at(-1)).toBe('{"dryRun":true}');
    expect(JSON.parse(answer.body)).toEqual(report);
    expect((await sendAsPage('GET', '/api/sweep')).status).toBe(404);
  });
});

describe('a missing davit', () => {
  test('is reported as a problem with advice', async () => {
    const lost = createForwarder(async () => {
      throw new CliError('unreachable', 'no-runtime', 'no local davit runs', 'Start one.');
    });
    await expect(lost.send({ method: 'GET', path: '/launches', search: '' })).rejects.toThrow('no local davit runs');

    davit = async () => ({ ...answering, fetch: () => Promise.reject(new TypeError('fetch failed')) });
    const other = await serve(() => davit());
    const opened = await send('GET', other.link);
    const answer = await send('GET', `${other.url}/api/launches`, {
      cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
    });
    await other.stop();

    expect(answer).toMatchObject({ status: 503, headers: { 'content-type': 'application/problem+json' } });
    expect(JSON.parse(answer.body)).toMatchObject({
      title: 'unreachable',
      detail: expect.stringMatching(/cannot be reached at http:.*: fetch failed.*davit doctor/),
    });
  });

  test.each([
    ['does not answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['has another token', async () => new Response(null, { status: 401 })],
  ])('is found again when the known one %s', async (_how, old) => {
    const places: Connection[] = [
      { ...answering, fetch: old },
      { ...answering, url: 'http://restarted.example' },
    ];
    const forwarder = createForwarder(async () => places.shift() ?? answering);

    const answer = await forwarder.send({ method: 'GET', path: '/clusters', search: '' });

    expect(await answer.json()).toEqual({ url: 'http://restarted.example/clusters' });
    expect(places).toEqual([]);
  });

  test('passes on the refusal of the one that it finds', async () => {
    const refusing = { ...answering, fetch: async () => new Response('{}', { status: 401 }) };
    const forwarder = createForwarder(async () => refusing);

    expect((await forwarder.send({ method: 'GET', path: '/clusters', search: '' })).status).toBe(401);
  });
});

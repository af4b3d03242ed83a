import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { askDavit } from '../../../cli/api/ask-davit.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import { openStore, storeFile } from '../../../local/store/open-store.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';
import { deletedPod, nothingFound } from '../../support/sweep-reports.ts';

const json = { 'content-type': 'application/json' };

const heard = new EventEmitter();

const launch = { launchId: 'api-7', agentName: 'davit-api-7', requestedAt: '2026-06-01T10:00:00.000Z' };

/** What one request after the other meets. */
const troubles: ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(200, json).end(JSON.stringify({ ...launch, status: 'launching' })),
  (response) => response.writeHead(500, json).end('{"message":"Internal Server Error"}'),
  (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  (response) => response.destroy(),
  (response) => response.writeHead(200, json).end(JSON.stringify({ ...launch, status: 'connected' })),
];

const launches = { launching: 1, connected: 2, cleaning: 0 };
const clusters = [
  {
    name: 'eu-1',
    connected: true,
    since: '2026-06-01T10:00:00.000Z',
    namespaces: [
      { name: 'agents', connected: true },
      { name: 'builders', connected: false, reason: 'NamespaceMissing', error: 'namespaces "builders" not found' },
    ],
    launches,
  },
  {
    name: 'us-1',
    connected: false,
    reason: 'TimedOut',
    namespaces: [{ name: 'agents', connected: 'unknown' }],
    launches,
  },
];

/** Words of others with what clears a terminal, and what writes another line. */
const hostile = 'label \u001b[2J\u009b2J\nx';
const told = [{ subject: 'CI system ci', message: hostile }];
const reconciled = {
  complete: false,
  seen: [],
  repairs: [{ ciSystem: 'ci', repair: 'GhostRemoved', subject: hostile, reason: hostile }],
  refused: [],
  planned: [{ ciSystem: 'ci', kind: 'refuse', subject: 'job ci/1/2/1', reason: hostile }],
  errors: told,
};
const found = { ...deletedPod, name: hostile, outcome: 'found' };
const swept = { ...nothingFound, dryRun: true, complete: false, findings: [found], errors: told };

/** Answers of a davit, or of another program, by the first part of the path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  truncated: (response) => response.writeHead(200, json).end('{"launches":[{"laun'),
  'cut-off': (response) => {
    response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"launches":[');
    setTimeout(() => response.destroy(), 20);
  },
  proxy: (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  'other-json': (response) => response.writeHead(200, json).end('{}'),
  'no-object': (response) => response.writeHead(200, json).end('null'),
  clusters: (response) => response.writeHead(200, json).end(JSON.stringify({ clusters })),
  reconciled: (response) => response.writeHead(200, json).end(JSON.stringify(reconciled)),
  swept: (response) => response.writeHead(200, json).end(JSON.stringify(swept)),
  refusing: (response) =>
    response
      .writeHead(400, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ type: 'https://davit.dev/problems/request-invalid', title: '', detail: hostile })),
  troubled: (response) => troubles.shift()?.(response),
  'of-one': (response) => {
    const isList = response.req.url?.startsWith('/of-one/launches?') === true;
    response.writeHead(isList ? 200 : 404, json).end(JSON.stringify(isList ? { launches: [launch] } : {}));
  },
  kept: (response) => {
    const log = { container: 'agent', text: 'one\ntwo\nthree\n' };
    response.writeHead(200, json).end(JSON.stringify({ ...launch, status: 'failed', diagnostics: { log } }));
  },
  deep: (response) => {
    const { method, url } = response.req;
    if (url === '/deep/clusters') return void response.writeHead(200, json).end('{"clusters":[]}');
    if (method === 'GET') heard.emit('deep');
    response.writeHead(200, json).end(JSON.stringify({ ...launch, status: 'launching' }));
  },
  silent: () => void heard.emit('silent'),
};

let server: LoopbackServer;
const directory = newFolder();
beforeAll(async () => {
  server = await startLoopbackServer((request, response) => answers[request.url?.split('/')[1] ?? '']?.(response));
});
afterAll(() => server.stop());

async function run(args: readonly string[], signal?: AbortSignal) {
  const terminal = recordingTerminal({}, signal);
  const exitCode = await runCli(args, terminal);
  return { exitCode, lines: terminal.lines, notes: terminal.notes };
}

const at = (path: string) => ['--url', `${server.url}/${path}`, '--token', 'x'];

describe('an answer of another program is an error with the URL and advice', () => {
  test.each([
    ['truncated', ['list'], /^error not-davit: http:.*\/truncated answered 200 with application\/json that is not/],
    ['proxy', ['show', 'api-7'], /^error not-davit: http:.*\/proxy answered 502 with text\/html that is not/],
    ['other-json', ['list'], /^error not-davit: the answer, 200, has no field 'launches'/],
    ['other-json', ['end', 'api-7'], /^error not-davit: the answer, 200, has no field 'launchId'/],
    ['no-object', ['clusters'], /^error not-davit: the answer, 200, has no field 'clusters'/],
    ['truncated', ['sweep'], /^error not-davit: http:.*\/truncated answered 200 with application\/json that is not/],
    ['other-json', ['reconcile'], /^error not-davit: the answer is no report of a reconcile/],
    ['other-json', ['sweep'], /^error not-davit: the answer is no report of a sweep/],
    ['cut-off', ['sweep'], /^error unreachable: davit cannot be reached at http:.*\/cut-off: terminated/],
    ['cut-off', ['clusters'], /^error unreachable: davit cannot be reached at http:.*\/cut-off: terminated/],
  ])('%s', async (path, command, words) => {
    const { exitCode, lines, notes } = await run([...command, ...at(path)]);

    expect(exitCode).toBe(5);
    expect(lines).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(words), expect.stringMatching(/proxy|doctor/)]);
  });

  test('an answer that does not come', async () => {
    const asked = askDavit({ url: server.url, fetch }, new Request(`${server.url}/silent`), undefined, 50);

    await expect(asked).rejects.toMatchObject({
      code: 'unanswered',
      message: `davit has not answered within 0.05 s at ${server.url}`,
    });
  });
});

test('clusters shows each cluster, and the namespaces that are away although their cluster answers', async () => {
  const { lines } = await run(['clusters', ...at('clusters')]);

  expect(lines.map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
    'CLUSTER CONNECTION FOR LAUNCHING CONNECTED CLEANING WHY',
    expect.stringMatching(/^eu-1 connected .+ 1 2 0$/),
    'eu-1/builders away NamespaceMissing: namespaces "builders" not found',
    'us-1 away 1 2 0 TimedOut',
  ]);
});

test.each([
  ['reconcile', 'reconciled', 'ci: would refuse job ci/1/2/1: label  [2J 2J x'],
  ['sweep', 'swept', 'CI system ci: label  [2J 2J x'],
  ['list', 'refusing', 'error request-invalid: label  [2J 2J\nx'],
])('davit %s writes the words of others without what moves the cursor', async (command, path, line) => {
  const { lines, notes } = await run([command, ...at(path)]);

  expect([...lines, ...notes]).toContain(line);
  expect([...lines, ...notes].filter((each) => /[^\P{Cc}\n]/u.test(each))).toEqual([]);
});

test.each(['list', 'launch linux', 'watch api-7', 'wait api-7', 'doctor'])(
  'Ctrl-C ends davit %s while davit does not answer',
  async (command) => {
    const interrupted = new AbortController();
    const asked = once(heard, 'silent');
    const running = run([...command.split(' '), ...at('silent')], interrupted.signal);
    await asked;

    interrupted.abort();

    expect((await running).exitCode).toBe(130);
  },
);

test('Ctrl-C while davit doctor --deep launches is Ctrl-C, and says how to end the launch', async () => {
  const interrupted = new AbortController();
  const asked = once(heard, 'deep');
  const running = run(['doctor', '--deep', 'linux', ...at('deep')], interrupted.signal);
  await asked;

  interrupted.abort();

  const { exitCode, notes } = await running;
  expect([exitCode, notes]).toEqual([130, [expect.stringMatching(/^error interrupted: /), 'davit end api-7']]);
});

test('davit logs --tail shows the last lines, of a log that davit has kept, too', async () => {
  const { lines } = await run(['logs', 'api-7', '--tail', '2', ...at('kept')]);

  expect(lines).toEqual(['two', 'three']);
});

test('davit wait goes on while a davit that has answered does not', async () => {
  const waited = await run(['wait', 'api-7', ...at('troubled')]);

  expect(waited).toEqual({ exitCode: undefined, lines: ['api-7  connected'], notes: [] });
  expect(troubles).toEqual([]);
});

describe('a mistake of the caller has an exit code and advice', () => {
  test.each([
    ['a URL without a scheme', ['list', '--url', 'davit.example'], 2, /^error url-invalid: .*'davit\.example'/],
    ['events of a stack', ['events', '--stack', 'Davit'], 2, /^error events-are-local: /],
    ['an empty URL', ['list', '--url', ''], 2, /^error url-invalid: /],
    [
      'a URL with a password',
      ['list', '--url', 'http://a:secret@davit.example'],
      2,
      /^error url-invalid: (?!.*secret)/,
    ],
    ['a URL with a query', ['list', '--url', 'http://davit.example?a=b'], 2, /^error url-invalid: /],
    ['a token that no header can have', ['list', '--url', 'http://127.0.0.1:9', '--token', 'a\nb'], 2, /token-invalid/],
    ['a number as a moment', ['list', '--since', '10'], 2, /Expected a moment/],
    ['words that end in a number', ['list', '--since', 'build 7'], 2, /Expected a moment/],
    ['a day that no month has', ['list', '--until', '2026-02-31'], 2, /Expected a moment/],
    ['a time that is too long for a timer', ['wait', 'api-7', '--timeout', '25d'], 2, /at most 24d/],
    ['too large a number', ['list', '--limit', '1000000'], 2, /from 1 to 999999/],
    ['a file in no folder', ['init', '--ci', 'standard', '--sandbox', '--config', 'no-such/davit.yaml'], 2, /no-such/],
  ])('%s', async (_what, command, exitCode, words) => {
    const ran = await run(command);

    expect(ran).toMatchObject({ exitCode, lines: [], notes: [expect.stringMatching(words), expect.any(String)] });
  });

  test.each(['show', 'watch', 'wait', 'end', 'logs', 'exec'])(
    'an empty name of a launch, as of a variable that is not set, is not the only launch: davit %s',
    async (command) => {
      const { exitCode, notes } = await run([command, '', ...at('of-one')]);

      expect([exitCode, notes]).toEqual([2, [expect.stringMatching(/^error launch-missing: /), expect.any(String)]]);
    },
  );

  test.each(['{"url":"htt', '{}'])('a broken file of a running davit: %s', async (text) => {
    await writeFile(join(directory, 'runtime.json'), text);

    const { exitCode, notes } = await run(['list', '--state', directory]);

    expect(exitCode).toBe(5);
    expect(notes).toEqual([expect.stringMatching(/^error runtime-file-broken: .*runtime\.json/), expect.any(String)]);
  });
});

test('davit events shows those of the davit that the caller names, or none', async () => {
  const state = join(directory, 'named');
  const named = 'http://127.0.0.1:9';
  const urls = { url: named, publicUrl: named };
  const places = { ...urls, kubeconfigPath: 'kubeconfig', isSandbox: true, contexts: {}, kubeconfigSecrets: {} };
  await mkdir(state);
  await writeFile(join(state, 'runtime.json'), JSON.stringify(places));
  {
    using store = openStore(join(state, storeFile));
    store.sql.run`INSERT INTO event (body) VALUES (${JSON.stringify({ time: 'now', 'detail-type': 'A', detail: {} })})`;
  }

  const own = await run(['events', '--state', state, '--url', `${named}/`]);
  const other = await run(['events', '--state', state, '--url', 'http://127.0.0.1:10']);

  expect(own).toEqual({ exitCode: undefined, lines: ['now  A'], notes: [] });
  expect(other).toMatchObject({
    exitCode: 2,
    lines: [],
    notes: [expect.stringMatching(/^error other-davit: .*127\.0\.0\.1:10/), expect.any(String)],
  });
});

test('davit events says why it cannot read the events', async () => {
  await writeFile(join(directory, storeFile), 'no database');

  const { exitCode, notes } = await run(['events', '--state', directory]);

  expect([exitCode, notes]).toEqual([
    5,
    [expect.stringMatching(/^error no-runtime: .* file is not a database$/), expect.any(String)],
  ]);
});

test('the exit code is the same when nobody reads the messages', async () => {
  const child = spawn(process.execPath, ['cli/davit.ts', 'list', '--colour'], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.destroy();

  expect(await once(child, 'exit')).toEqual([2, null]);
});

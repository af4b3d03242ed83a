import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import * as z from 'zod';
import { type GithubAppArguments, readGithubAppArguments } from '../../../../cli/github-app/arguments.ts';
import { makeGithubApp } from '../../../../cli/github-app/make-github-app.ts';
import { ciSystemLines } from '../../../../cli/github-app/next-steps.ts';
import { serveForm } from '../../../../cli/github-app/serve-form.ts';
import { parseConfig } from '../../../../core/config/read-config.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { type AppMaker, startAppMaker } from '../../../support/start-app-maker.ts';
import { openForm, submitForm } from '../../../support/submit-form.ts';

let github: AppMaker;
let folder: string;

beforeEach(async () => {
  github = await startAppMaker('acme');
  folder = newFolder();
});

afterEach(async () => {
  await github.stop();
  expect(github.problems).toEqual([]);
});

function optionsOf(...args: string[]): GithubAppArguments {
  const required = ['--org', 'acme', '--webhook-url', 'https://davit.example/webhooks/ghes'];
  const options = readGithubAppArguments([...required, '--out', join(folder, 'secrets'), ...args]);
  if (options === 'help') throw new Error('expected options');
  return options;
}

/** Starts to make an App, and waits until the form's URL is printed. */
async function begin() {
  const { promise: formUrl, resolve } = Promise.withResolvers<string>();
  let printed = '';
  const print = (text: string) => {
    printed += text;
    const [url] = /http:\/\/127\S+/.exec(printed) ?? [];
    if (url !== undefined) resolve(url);
  };
  const stop = new AbortController();
  const done = makeGithubApp(optionsOf('--url', github.url), { print, signal: stop.signal });
  // A test that expects a failure awaits it later.
  done.catch(() => undefined);
  await Promise.race([formUrl, done]);
  return { done, stop, formUrl: await formUrl, printed: () => printed };
}

/** The person opens the form and presses its button. @returns the URL to which GitHub redirects the browser */
async function consent(formUrl: string): Promise<string> {
  return submitForm(await openForm(formUrl));
}

test('consent makes an App, its secrets in files, and the next steps', async () => {
  const { done, formUrl, printed } = await begin();

  const page = await (await fetch(await consent(formUrl))).text();
  await done;

  expect(github.manifests).toEqual([
    expect.objectContaining({ name: 'davit-acme', redirect_url: new URL('/callback', formUrl).href }),
  ]);
  const out = join(folder, 'secrets');
  const files = ['private-key.pem', 'webhook-secret'].map((name) => join(out, name));
  expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual([
    github.app.pem,
    github.app.webhook_secret,
  ]);
  for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(out)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(out, '.gitignore'), 'utf8')).toBe('*\n');
  const install = `${github.url}/github-apps/davit-acme/installations/new`;
  expect(page).toContain(install);
  expect(printed()).toContain(install);
  expect(printed()).toContain(` --secret davit-app-key-ghes=${out}/private-key.pem\n`);
  const { pem, webhook_secret: webhookSecret, client_secret: clientSecret } = github.app;
  for (const secret of [pem, webhookSecret, clientSecret]) expect(`${page}${printed()}`).not.toContain(secret);
});

test('the lines for davit.yaml are read by davit', () => {
  const lines = ciSystemLines(optionsOf('--url', 'https://ghes.example'), { id: 4711 });

  const rest = {
    clusters: [{ name: 'c', kubeconfigSecret: 'kubeconfig' }],
    profiles: [{ name: 'linux', labels: ['linux'], clusters: ['c'], namespace: 'agents', runner: 'github' }],
  };
  expect(parseConfig(`${lines}${stringify(rest)}`, 'davit.yaml').ciSystems).toEqual([
    {
      name: 'ghes',
      provider: 'github',
      url: 'https://ghes.example',
      webhookSecret: 'davit-webhook-ghes',
      app: { id: 4711, privateKeySecret: 'davit-app-key-ghes' },
    },
  ]);
});

test('the form goes to github.com, unless another GitHub is given', async () => {
  await using form = await serveForm(optionsOf(), () => Promise.reject(new Error('not asked')), jest.fn());

  const { action, manifest } = await openForm(form.formUrl);

  expect(action).toMatch(/^https:\/\/github\.com\/organizations\/acme\/settings\/apps\/new\?state=[\w-]{43}$/);
  expect(JSON.parse(manifest)).toMatchObject({ name: 'davit-acme' });
});

const refused = { message: 'Name is taken', documentation_url: 'https://docs' };

test.each<[step: string, spoil: (back: URL) => void | Promise<void>, status: number, exchanges: number, words: string]>(
  [
    [
      'a request with another state',
      (back) => back.searchParams.set('state', 'guessed'),
      403,
      0,
      'The state is not that of this form.',
    ],
    [
      'a request without a code',
      (back) => back.searchParams.delete('code'),
      403,
      0,
      'There is no code in the request.',
    ],
    [
      'a used code',
      async ({ searchParams }) => {
        const api = `${github.url}/api/v3/app-manifests/${searchParams.get('code')}/conversions`;
        await fetch(api, { method: 'POST' });
      },
      502,
      2,
      'GitHub answered 404: the code was used already, or is more than an hour old',
    ],
    [
      'an exchange that GitHub refuses',
      () => void (github.failWith = { status: 422, body: refused }),
      502,
      1,
      'GitHub answered 422: Name is taken',
    ],
    [
      'an exchange that GitHub does not make now',
      () => void (github.failWith = { status: 503, body: { message: 'Unicorn' } }),
      502,
      1,
      'GitHub answered 503: Unicorn',
    ],
    [
      'an App without a webhook secret',
      () => void (github.change = { webhook_secret: null }),
      502,
      1,
      'answer has another shape: webhook_secret',
    ],
  ],
)('%s is refused, and leaves the form open for another try', async (_step, spoil, status, exchanges, words) => {
  const { done, formUrl, printed } = await begin();
  const back = new URL(await consent(formUrl));
  await spoil(back);

  const answer = await fetch(back);

  expect([answer.status, github.exchanges]).toEqual([status, exchanges]);
  expect(await answer.text()).toContain(words);
  expect(printed()).toContain(words);
  expect(printed()).not.toContain('PRIVATE KEY');
  github.failWith = undefined;
  github.change = {};
  await fetch(await consent(formUrl));
  await done;
});

test('a browser that sends its code twice exchanges it once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  github.hold = promise;
  const { done, formUrl } = await begin();
  const back = await consent(formUrl);

  const asked = [fetch(back), fetch(back)];
  await github.asked;
  resolve();

  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
  await done;
  expect(github.exchanges).toBe(1);
});

test('an existing folder is not touched, and no App is made', async () => {
  await mkdir(join(folder, 'secrets'));

  const begun = begin();

  await expect(begun).rejects.toThrow(
    `--out: expected a folder that does not exist yet, found ${join(folder, 'secrets')}`,
  );
  expect(await readdir(folder)).toEqual(['secrets']);
});

test('ending the wait leaves neither a folder nor a server', async () => {
  const { done, stop, formUrl } = await begin();

  stop.abort(new Error('an hour is over'));

  await expect(done).rejects.toThrow('an hour is over');
  expect(await readdir(folder)).toEqual([]);
  await expect(fetch(formUrl)).rejects.toThrow('fetch failed');
});

test('an exchange under way finishes when the wait ends', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  github.hold = promise;
  const { done, stop, formUrl, printed } = await begin();
  const back = await consent(formUrl);
  const asked = fetch(back);
  await github.asked;

  stop.abort(new Error('Ctrl-C'));
  resolve();

  await done;
  await asked;
  expect(await readdir(join(folder, 'secrets'))).toContain('private-key.pem');
  expect(printed()).toContain('The App davit-acme is made');
});

test('only a caller with the printed URL gets the form and its state', async () => {
  const { done, stop, formUrl } = await begin();

  for (const path of ['/', '/form', '/callback/x']) expect((await fetch(new URL(path, formUrl))).status).toBe(404);
  stop.abort(new Error('enough'));

  await expect(done).rejects.toThrow('enough');
  expect(z.url().parse(formUrl)).toMatch(/\/[\w-]{43}$/);
});

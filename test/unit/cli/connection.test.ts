import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../../../cli/api/connection.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

const state = newFolder();
let server: LoopbackServer;
const tokens: (string | undefined)[] = [];
beforeAll(async () => {
  server = await startLoopbackServer((request, response) => {
    tokens.push(request.headers.authorization);
    response.end();
  });
  await writeFile(join(state, 'launches-token'), 'own');
});
beforeEach(() => void tokens.splice(0));
afterAll(() => server.stop());

/** Writes where the davit of the state directory is. */
async function runsAt(url: string): Promise<void> {
  const places = { kubeconfigPath: 'kubeconfig', isSandbox: true, contexts: {}, kubeconfigSecrets: {} };
  await writeFile(join(state, 'runtime.json'), JSON.stringify({ url, publicUrl: url, ...places }));
}

async function tokenFor(options: object, env: Record<string, string> = {}): Promise<string | undefined> {
  const davit = await connect({ url: server.url, state, ...options }, recordingTerminal(env));
  await davit.fetch(new Request(`${server.url}/launches`));
  return tokens[0];
}

test('the token of a state directory goes to its own davit, and to any that the caller names it for', async () => {
  await runsAt(server.url);
  expect(await tokenFor({})).toBe('Bearer own');

  await runsAt('http://127.0.0.1:9');
  expect(await tokenFor({ isStateNamed: true })).toBe('Bearer own');
});

test.each([
  { from: 'an option', options: { token: 'given' }, env: {} },
  { from: 'the environment', options: {}, env: { DAVIT_TOKEN: 'given' } },
])('another davit gets the token of $from', async ({ options, env }) => {
  await runsAt('http://127.0.0.1:9');

  expect(await tokenFor(options, env)).toBe('Bearer given');
});

test('another davit does not get the token of the state directory', async () => {
  await runsAt('http://127.0.0.1:9');

  await expect(tokenFor({})).rejects.toMatchObject({
    code: 'token-missing',
    message: `there is no token for ${server.url}`,
  });
  expect(tokens).toEqual([]);
});

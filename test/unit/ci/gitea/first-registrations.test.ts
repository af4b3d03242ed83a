import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';

/** The words of a Gitea 1.26 for a registration token after which another was made. */
const invalidated = 'runner registration token has been invalidated, please use the latest one';

let server: LoopbackServer;
let gitea: CiSystem;
let tokens: string[];

/** A Gitea in which somebody else makes a token of the same organization after each of the first `raced`. */
async function startGitea(raced: number): Promise<void> {
  tokens = [];
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!request.url?.endsWith('/Register')) {
      tokens.push(`token-${tokens.length + 1}`);
      return answer(200, { token: tokens.at(-1) });
    }
    const { token, name } = (await json(request)) as { token: string; name: string };
    if (tokens.length <= raced) return answer(500, { code: 'unknown', message: invalidated });
    return answer(200, { runner: { id: '7', uuid: 'uuid', token: `of ${token}`, name } });
  };
  server = await startLoopbackServer((request, response) => void answerTo(request, response));
  gitea = createGitea({ name: 'gitea', url: server.url, readToken: async () => 'token', timeoutMs: 60_000 });
}

afterEach(() => server.stop());

const register = () => gitea.register({ organization: 'acme' }, { name: 'davit-1', labels: ['linux'] });

test('a registration whose token another made invalid takes the newer one', async () => {
  await startGitea(1);

  expect(await register()).toMatchObject({
    runner: { id: 7, name: 'davit-1' },
    environment: { GITEA_RUNNER_TOKEN: 'of token-2' },
  });
});

test('a registration whose tokens are invalid each time is tried again later', async () => {
  await startGitea(100);

  await expect(register()).rejects.toMatchObject({
    code: 'CiUnavailable',
    detail: expect.stringContaining(invalidated),
  });
  expect(tokens).toHaveLength(3);
});

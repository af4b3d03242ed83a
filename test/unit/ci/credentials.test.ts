import { createGitea } from '../../../ci/gitea/create-gitea.ts';
import { createGithub } from '../../../ci/github/create-github.ts';
import { byToken } from '../../../ci/github/github-authorization.ts';
import { createJenkins } from '../../../ci/jenkins/create-jenkins.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import type { CiSystem } from '../../../ports/ci-system.ts';

const scope = { organization: 'acme' };
const timeoutMs = 60_000;
let server: LoopbackServer;
let authorizations: (string | undefined)[];

beforeEach(async () => {
  authorizations = [];
  server = await startLoopbackServer(({ headers }, response) => {
    authorizations.push(headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ computer: [] }));
  });
});

afterEach(() => server.stop());

const readToken = async () => 'se-\n-cret';
const systems: [string, () => CiSystem][] = [
  ['GitHub', () => createGithub({ name: 'ci', apiUrl: server.url, ...byToken(readToken), timeoutMs })],
  ['Gitea', () => createGitea({ name: 'ci', url: server.url, readToken, timeoutMs })],
];

test.each(systems)('a token that no header takes is not in the error of a %s', async (_what, open) => {
  const error: unknown = await open()
    .findRunners(scope, 'davit-')
    .catch((failure: unknown) => failure);

  expect(error).toMatchObject({ code: 'CiRefused', detail: expect.stringMatching(/^ci: GET .*line break/) });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/se-|-cret/);
  expect(authorizations).toEqual([]);
});

test("a token's last line break is no part of it in a Jenkins, as elsewhere", async () => {
  const jenkins = createJenkins({
    name: 'ci',
    url: server.url,
    user: 'davit',
    readToken: async () => 'token\n',
    timeoutMs,
  });

  await jenkins.findRunners(scope, 'davit-');

  expect(authorizations).toEqual([`Basic ${Buffer.from('davit:token').toString('base64')}`]);
});

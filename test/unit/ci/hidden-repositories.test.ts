import type { ServerResponse } from 'node:http';
import { createGitea } from '../../../ci/gitea/create-gitea.ts';
import { createGithub } from '../../../ci/github/create-github.ts';
import { byToken } from '../../../ci/github/github-authorization.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import type { CiSystem } from '../../../ports/ci-system.ts';

const app = { owner: 'acme', name: 'app' };
const gone = { owner: 'acme', name: 'gone' };
let server: LoopbackServer;
let answers: Map<string, { status: number; headers?: Record<string, string>; body?: unknown }>;

beforeEach(async () => {
  answers = new Map();
  server = await startLoopbackServer((request, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const { status, headers, body } = answers.get(pathname) ?? { status: 404, body: { message: 'Not Found' } };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
});

afterEach(() => server.stop());

describe('a GitHub', () => {
  let github: CiSystem;

  beforeEach(() => {
    github = createGithub({ name: 'github', apiUrl: server.url, ...byToken(async () => 'token'), timeoutMs: 60_000 });
    const run = { id: 5, repository: { id: 7 } };
    const job = { id: 6, name: 'build', labels: ['linux'], status: 'queued', run_id: 5, head_sha: 'c0ffee' };
    const created = { ...job, created_at: '2026-01-01T00:00:00Z' };
    answers.set('/repos/acme/app/actions/runs', { status: 200, body: { total_count: 1, workflow_runs: [run] } });
    answers.set('/repos/acme/app/actions/runs/5/jobs', { status: 200, body: { total_count: 1, jobs: [created] } });
  });

  test('lists no jobs of a repository that is deleted', async () => {
    expect(await github.listJobs({ repository: app }, ['queued'])).toMatchObject([{ jobId: 6, repository: app }]);
    expect(await github.listJobs({ repository: gone }, ['queued'])).toBeUndefined();
  });

  test('that shows a repository but not its runs refuses', async () => {
    answers.set('/repos/acme/gone', { status: 200, body: {} });

    await expect(github.listJobs({ repository: gone }, ['queued'])).rejects.toMatchObject({ code: 'CiRefused' });
  });

  test('has no list of the jobs of an organization', async () => {
    await expect(github.listJobs({ organization: 'acme' }, ['queued'])).rejects.toMatchObject({ code: 'CiRefused' });
  });
});

test('a Gitea refuses the jobs of a renamed repository', async () => {
  const gitea = createGitea({ name: 'gitea', url: server.url, readToken: async () => 'token', timeoutMs: 60_000 });
  const location = '/api/v1/repos/acme/app/actions/jobs';
  answers.set('/api/v1/repos/acme/gone/actions/jobs', { status: 307, headers: { location } });

  await expect(gitea.listJobs({ repository: gone }, ['queued'])).rejects.toMatchObject({ code: 'CiRefused' });
});

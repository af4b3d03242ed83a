import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

const described = {
  name: 'build',
  labels: ['linux'],
  run_id: 40,
  head_sha: 'c0ffee',
  created_at: '2026-01-01T00:00:00Z',
};

interface RunJob {
  id: number;
  run_attempt: number;
  status: string;
  conclusion: string | null;
}

const repository = { owner: 'acme', name: 'app' };
let server: LoopbackServer;
let jobs: RunJob[];
/** The paths of the requests that begin an attempt. */
let begun: string[];

beforeEach(async () => {
  [jobs, begun] = [[], []];
  server = await startLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST') begun.push(pathname.replace(/^.*\/actions\//, ''));
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
    const isOver = jobs.every(({ status }) => status === 'completed');
    const run = {
      status: isOver ? 'completed' : 'in_progress',
      run_attempt: Math.max(...jobs.map((job) => job.run_attempt)),
    };
    const page = Number(searchParams.get('page') ?? 1) === 1 ? jobs.map((job) => ({ ...described, ...job })) : [];
    response.end(JSON.stringify(pathname.endsWith('/jobs') ? { total_count: jobs.length, jobs: page } : run));
  });
});

afterEach(() => server.stop());

// The contract proves it of a GitHub, and of a real Gitea.
describe('a Gitea', () => {
  const job = (id: number, conclusion: string | null = 'failure', attempt = 1): RunJob => ({
    id,
    run_attempt: attempt,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
  });
  const rerun = (...ids: number[]) =>
    createGitea({ name: 'gitea', url: server.url, readToken: async () => 'token', timeoutMs: 60_000 }).rerunFailed(
      repository,
      40,
      ids.map((id) => ({ id, attempt: 1 })),
    );

  test('runs one lost job again alone, and leaves another job that has failed', async () => {
    jobs = [job(1), job(2)];

    expect(await rerun(1)).toEqual([1]);
    expect(begun).toEqual([expect.stringMatching(/jobs\/1\/rerun$/)]);
  });

  test('runs several lost jobs again by one request, and names only the lost ones', async () => {
    jobs = [job(1), job(2), job(3), job(4, 'success')];

    expect(await rerun(1, 2, 4)).toEqual([1, 2]);
    expect(begun).toEqual(['runs/40/rerun-failed-jobs']);
  });

  test('runs nothing again while the run goes on', async () => {
    jobs = [job(1), job(2, null)];

    expect(await rerun(1)).toBe('running');
    expect(begun).toEqual([]);
  });

  test.each(['failure', 'success'])('runs nothing again when a later attempt is over: %s', async (conclusion) => {
    jobs = [job(1, conclusion, 2)];

    expect(await rerun(1)).toEqual([]);
    expect(begun).toEqual([]);
  });
});

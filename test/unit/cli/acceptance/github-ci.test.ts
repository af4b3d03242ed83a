import * as z from 'zod';
import { acceptanceSystem, openAcceptanceCi } from '../../../../cli/acceptance/open-ci.ts';
import { workflowText } from '../../../../cli/acceptance/workflow.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { type DescribedGithubServer, startDescribedGithub } from '../../../support/start-described-github.ts';

const batch = { name: 'single', group: 'single', labels: ['linux'], jobs: 1, seconds: 1 };
const place = { repository: { owner: 'acme', name: 'app' }, branch: 'davit-acceptance-1' };
const List = z.looseObject({ workflow_runs: z.array(z.looseObject({})), total_count: z.int() });
const Jobs = z.looseObject({ jobs: z.array(z.looseObject({})), total_count: z.int() });

/** The repository's webhook. */
function hookOf(example: unknown): unknown {
  const config = { url: 'https://davit.example.com/webhooks/github', content_type: 'json', insecure_ssl: '0' };
  return { ...z.looseObject({}).parse(example), id: 7, active: true, events: ['workflow_job'], config };
}

/** The only run is of single.yaml, and is in progress; its two jobs are one that runs, and one that was cancelled in the queue. */
function change(request: string, example: unknown): unknown {
  if (request === 'GET /repos/acme/app/actions/runs') {
    const list = List.parse(example);
    const run = { id: 7, path: '.github/workflows/single.yaml@main', status: 'in_progress', conclusion: null };
    return { total_count: 1, workflow_runs: [{ ...list.workflow_runs[0], ...run }] };
  }
  if (request === 'GET /repos/acme/app/actions/runs/7/jobs') {
    const [job] = Jobs.parse(example).jobs;
    const times = { created_at: '2026-06-01T10:00:00Z', started_at: '2026-06-01T10:00:04Z' };
    const running = { id: 1, run_id: 7, run_attempt: 2, status: 'in_progress', conclusion: null, completed_at: null };
    const over = {
      id: 2,
      run_id: 7,
      status: 'completed',
      conclusion: 'cancelled',
      completed_at: '2026-06-01T10:00:05Z',
    };
    return {
      total_count: 2,
      jobs: [
        { ...job, ...times, ...running, runner_id: 3 },
        { ...job, ...times, ...over, runner_id: null, runner_name: null },
      ],
    };
  }
  if (request === 'GET /repos/acme/app/actions/runs/7') {
    return { ...z.looseObject({}).parse(example), id: 7, status: 'completed' };
  }
  if (request === 'GET /repos/acme/app/hooks') return [hookOf(z.array(z.unknown()).parse(example)[0])];
  if (request === 'GET /repos/acme/app/hooks/7') return hookOf(example);
  if (request === 'GET /meta') return { verifiable_password_authentication: true, installed_version: '3.19.1' };
  return example;
}

let github: DescribedGithubServer;
beforeEach(async () => {
  github = await startDescribedGithub(change);
});
afterEach(async () => {
  await github.stop();
  expect(github.problems).toEqual([]);
});

function open() {
  const system = { name: 'github', provider: 'github', url: github.url, webhookSecret: 'hook', tokenSecret: 'token' };
  const read = async () => 'a-token';
  return openAcceptanceCi(acceptanceSystem(CiSystemConfig.parse(system)), place, { read, refresh: read }, 10_000);
}

test('a branch is made at the head of the default branch, gets a workflow, and is deleted', async () => {
  const ci = open();

  await ci.open();
  await ci.start(batch);
  await ci.close();

  const sha = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
  const text = workflowText(batch, { folder: '.github/workflows', branch: place.branch });
  const content = Buffer.from(text).toString('base64');
  expect(github.requests).toEqual([
    'GET /repos/acme/app/commits?per_page=1',
    `POST /repos/acme/app/git/refs {"ref":"refs/heads/davit-acceptance-1","sha":"${sha}"}`,
    `PUT /repos/acme/app/contents/.github/workflows/single.yaml {"branch":"davit-acceptance-1","content":"${content}","message":"add single.yaml"}`,
    'DELETE /repos/acme/app/git/refs/heads/davit-acceptance-1',
  ]);
});

test("a job's times are GitHub's, and a job that had no runner has no start", async () => {
  const of = { batch: 'single', runId: 7, queuedAtEpochMs: Date.parse('2026-06-01T10:00:00Z') };

  expect(await open().listAttempts(['single'])).toEqual([
    { ...of, jobId: 1, attempt: 2, status: 'in_progress', runnerId: 3, startedAtEpochMs: of.queuedAtEpochMs + 4000 },
    {
      ...of,
      jobId: 2,
      attempt: 1,
      status: 'completed',
      conclusion: 'cancelled',
      completedAtEpochMs: of.queuedAtEpochMs + 5000,
    },
  ]);
  expect(await open().listAttempts(['other'])).toEqual([]);
});

test('the runs of a workflow are cancelled, and a run is run again', async () => {
  const ci = open();

  await ci.cancel?.('single');
  await ci.rerun(7);

  expect(github.requests.filter((request) => request.startsWith('POST'))).toEqual([
    'POST /repos/acme/app/actions/runs/7/cancel',
    'POST /repos/acme/app/actions/runs/7/rerun',
  ]);
});

test("the repository's webhook is turned off, and keeps its events, its URL and its secret", async () => {
  const { webhooks } = open();

  const listed = await webhooks?.list();
  await webhooks?.setActive(7, false, 's3cret');

  const url = 'https://davit.example.com/webhooks/github';
  expect(listed).toEqual([{ id: 7, url, isActive: true, sendsJobs: true }]);
  expect(github.requests.at(-1)).toBe(
    'PATCH /repos/acme/app/hooks/7 {"active":false,"events":["workflow_job"],"config":' +
      `{"url":"${url}","content_type":"json","insecure_ssl":"0","secret":"s3cret"}}`,
  );
});

test("an Enterprise Server's version is known", async () => {
  expect(await open().readVersion()).toBe('GitHub Enterprise Server 3.19.1');
});

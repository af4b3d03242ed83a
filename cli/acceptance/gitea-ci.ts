import { setTimeout as sleep } from 'node:timers/promises';
import { askCi, type CiConnection, callCi } from '../../ci/ci-http.ts';
import { askAllPages } from '../../ci/gitea/gitea-pages.ts';
import { createRateMeter } from '../../ci/rate-meter.ts';
import { repositoryPath } from '../../ci/scope-path.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { AcceptanceCi, AcceptancePlace, SeenAttempt } from './acceptance-ci.ts';
import { knownStatus, momentOf } from './read-attempt.ts';

const folder = '.gitea/workflows';
const pauseMs = 500;
/**
 * Gitea handles pushes in batches, up to 2 s later. One batch with a new branch and the first commit to it starts the
 * commit's workflow twice.
 */
const settleMs = 3000;

const Version = z.object({ version: z.string() });
const Run = z.object({ id: z.int(), path: z.string() });
const Runs = z.object({ workflow_runs: z.array(Run), total_count: z.int() });
const Job = z.object({
  id: z.int(),
  run_attempt: z.int(),
  status: z.string(),
  conclusion: z.nullish(z.string()),
  runner_id: z.optional(z.int()),
  created_at: z.nullish(z.string()),
  started_at: z.nullish(z.string()),
  completed_at: z.nullish(z.string()),
});
type Job = z.infer<typeof Job>;
const Jobs = z.object({ jobs: z.array(Job), total_count: z.int() });

/** How a Gitea is reached, and with what. */
export interface GiteaAccess extends Pick<CiConnection, 'name' | 'timeoutMs'> {
  /** As people open it, without a slash at its end. */
  url: string;
  /** Reads a token that may commit to the repository: it has the scope `write:repository`. */
  readToken: () => Promise<string>;
}

/**
 * Runs workflows in a Gitea, version 1.26 or newer.
 *
 * @see https://docs.gitea.com/api/1.26/
 */
export function giteaCi({ name, url, readToken, timeoutMs }: GiteaAccess, place: AcceptancePlace): AcceptanceCi {
  const headers = async () => ({ authorization: `token ${await readToken()}` });
  const connection = { name, baseUrl: `${url}/api/v1`, headers, meter: createRateMeter(), timeoutMs };
  const repository = repositoryPath(place.repository);
  const branchPath = `${repository}/branches/${encodeURIComponent(place.branch)}`;

  async function listRuns(files: readonly string[]): Promise<{ id: number; file: string }[]> {
    const path = `${repository}/actions/runs?branch=${encodeURIComponent(place.branch)}`;
    const runs = await askAllPages(path, async (request) => {
      const { workflow_runs: items, total_count: total } = await askCi(connection, request, Runs);
      return { items, total };
    });
    // `matrix.yaml@refs/heads/main`
    const named = runs.map(({ id, path: workflow }) => ({ id, file: workflow.split('@', 1)[0] ?? '' }));
    return named.filter(({ file }) => files.includes(file));
  }

  async function listJobs(runId: number): Promise<Job[]> {
    return askAllPages(`${repository}/actions/runs/${runId}/jobs`, async (request) => {
      const { jobs: items, total_count: total } = await askCi(connection, request, Jobs);
      return { items, total };
    });
  }

  return {
    folder,
    pauseMs,
    readVersion: async () => `Gitea ${(await askCi(connection, { method: 'GET', path: '/version' }, Version)).version}`,
    createBranch: async () => {
      const body = { new_branch_name: place.branch };
      await callCi(connection, { method: 'POST', path: `${repository}/branches`, body });
      await sleep(settleMs);
    },
    deleteBranch: async () => {
      await callCi(connection, { method: 'DELETE', path: branchPath, expect: [404] });
    },
    commitWorkflow: async (file, content) => {
      const body = { branch: place.branch, content: base64(content), message: `add ${file}` };
      await callCi(connection, { method: 'POST', path: `${repository}/contents/${folder}/${file}`, body });
    },
    listAttempts: async (files) => {
      const runs = await listRuns(files);
      const jobs = runs.map(async ({ id, file }) => (await listJobs(id)).map((job) => attemptOf(job, id, file)));
      return (await Promise.all(jobs)).flat();
    },
    rerun: async (runId) => {
      await callCi(connection, { method: 'POST', path: `${repository}/actions/runs/${runId}/rerun` });
    },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/**
 * Up to Gitea 1.26, the runner that claims a job raises its attempt, and the job then has a start. So a job that has none
 * shows the number of the attempt before. A re-run keeps the moment at which the first attempt was queued.
 */
function attemptOf(job: Job, runId: number, file: string): SeenAttempt {
  const startedAtEpochMs = momentOf(job.started_at);
  const attempt = startedAtEpochMs === undefined ? job.run_attempt + 1 : job.run_attempt;
  const status = knownStatus(job.status);
  return {
    file,
    runId,
    jobId: job.id,
    attempt,
    status,
    ...present({
      conclusion: status === 'completed' ? (job.conclusion ?? 'none') : undefined,
      runnerId: job.runner_id || undefined,
      queuedAtEpochMs: attempt === 1 ? momentOf(job.created_at) : undefined,
      startedAtEpochMs,
      completedAtEpochMs: status === 'completed' ? momentOf(job.completed_at) : undefined,
    }),
  };
}

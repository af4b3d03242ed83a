import { setTimeout as sleep } from 'node:timers/promises';
import { askCi, type CiConnection, callCi } from '../../ci/ci-http.ts';
import { askAllPages } from '../../ci/gitea/gitea-pages.ts';
import { createRateMeter } from '../../ci/rate-meter.ts';
import { repositoryPath } from '../../ci/scope-path.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { AcceptanceBranch, AcceptanceCi, RepositoryWebhooks, SeenAttempt } from './acceptance-ci.ts';
import { branchWords, commitOf } from './workflow.ts';
import { attemptOf, type BatchRun, jobFields, momentOf, Runs, runsOf } from './workflow-runs.ts';

const folder = '.gitea/workflows';
const pauseMs = 500;
/**
 * Gitea handles pushes in batches, up to 2 s later. One batch with a new branch and the first commit to it starts the
 * commit's workflow twice.
 */
const settleMs = 3000;

const Version = z.object({ version: z.string() });
const Job = z.object({ ...jobFields, run_attempt: z.int() });
type Job = z.infer<typeof Job>;
const Jobs = z.object({ jobs: z.array(Job), total_count: z.int() });

const Hook = z.object({
  id: z.int(),
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({ url: z.optional(z.string()) }),
  branch_filter: z.optional(z.string()),
  authorization_header: z.optional(z.string()),
});
/** A change of a webhook takes these events as they are told. It would take others, such as pull_request, for more. */
const keptEvents = [
  'create',
  'delete',
  'fork',
  'package',
  'push',
  'release',
  'repository',
  'status',
  'wiki',
  'workflow_job',
  'workflow_run',
];

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
export function giteaCi({ name, url, readToken, timeoutMs }: GiteaAccess, place: AcceptanceBranch): AcceptanceCi {
  const headers = async () => ({ authorization: `token ${await readToken()}` });
  const connection = { name, baseUrl: `${url}/api/v1`, headers, meter: createRateMeter(), timeoutMs };
  const repository = repositoryPath(place.repository);
  const branchPath = `${repository}/branches/${encodeURIComponent(place.branch)}`;

  async function listRuns(batches: readonly string[]): Promise<BatchRun[]> {
    const path = `${repository}/actions/runs?branch=${encodeURIComponent(place.branch)}`;
    const runs = await askAllPages(path, async (request) => {
      const { workflow_runs: items, total_count: total } = await askCi(connection, request, Runs);
      return { items, total };
    });
    return runsOf(runs, batches);
  }

  async function listJobs(runId: number): Promise<Job[]> {
    return askAllPages(`${repository}/actions/runs/${runId}/jobs`, async (request) => {
      const { jobs: items, total_count: total } = await askCi(connection, request, Jobs);
      return { items, total };
    });
  }

  const hooksPath = `${repository}/hooks`;
  const webhooks: RepositoryWebhooks = {
    // This list has its length in a header only; the page after its end is empty.
    list: async () => {
      const hooks = await askAllPages(hooksPath, async (request) => ({
        items: await askCi(connection, request, z.array(Hook)),
        total: Infinity,
      }));
      return hooks.map(({ id, active, events, config }) => ({
        id,
        url: config.url ?? '',
        isActive: active,
        sendsJobs: events.includes('workflow_job'),
        ...(events.every((event) => keptEvents.includes(event)) ? {} : { loses: 'its choice of events' }),
      }));
    },
    // Gitea 1.26 keeps the secret, and takes what a change does not repeat of these for none.
    setActive: async (id, active) => {
      const hookPath = `${hooksPath}/${id}`;
      const { events, ...rest } = await askCi(connection, { method: 'GET', path: hookPath }, Hook);
      const { branch_filter, authorization_header } = rest;
      const body = { active, events, ...present({ branch_filter, authorization_header }) };
      await callCi(connection, { method: 'PATCH', path: hookPath, body });
    },
  };

  return {
    pauseMs,
    ...branchWords(place),
    webhooks,
    readVersion: async () => `Gitea ${(await askCi(connection, { method: 'GET', path: '/version' }, Version)).version}`,
    open: async () => {
      const body = { new_branch_name: place.branch };
      await callCi(connection, { method: 'POST', path: `${repository}/branches`, body });
      await sleep(settleMs);
    },
    close: async () => {
      await callCi(connection, { method: 'DELETE', path: branchPath, expect: [404] });
    },
    start: async (batch) => {
      const { path, body } = commitOf(batch, folder, place);
      await callCi(connection, { method: 'POST', path: `${repository}/contents/${path}`, body });
    },
    listAttempts: async (batches) => {
      const runs = await listRuns(batches);
      const jobs = runs.map(async (run) => (await listJobs(run.id)).map((job) => seenIn(run, job)));
      return (await Promise.all(jobs)).flat();
    },
    rerun: async (runId) => {
      await callCi(connection, { method: 'POST', path: `${repository}/actions/runs/${runId}/rerun` });
    },
  };
}

/**
 * Up to Gitea 1.26, the runner that claims a job raises its attempt, and the job then has a start. So a job that has none
 * shows the number of the attempt before. A re-run keeps the moment at which the first attempt was queued.
 */
function seenIn(run: BatchRun, job: Job): SeenAttempt {
  const startedAtEpochMs = momentOf(job.started_at);
  const attempt = startedAtEpochMs === undefined ? job.run_attempt + 1 : job.run_attempt;
  const queuedAtEpochMs = attempt === 1 ? momentOf(job.created_at) : undefined;
  return attemptOf(job, run, { attempt, queuedAtEpochMs, startedAtEpochMs });
}

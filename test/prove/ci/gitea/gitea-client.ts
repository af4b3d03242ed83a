import * as z from 'zod';
import type { Gitea } from './start-gitea.ts';

/** A test's actions in a Gitea as its administrator. */
export interface GiteaClient {
  createOrganization(name: string): Promise<void>;
  /** Creates a repository with Actions. */
  createRepository(owner: string, name: string): Promise<{ id: number }>;
  /** Delivers an organization's job events to a URL. */
  createWebhook(owner: string, hook: { url: string; secret: string }): Promise<void>;
  /** Commits a workflow; one that is `on: [push]` starts its jobs. @returns the commit's SHA */
  commitWorkflow(owner: string, repository: string, file: string, content: string): Promise<string>;
  /** The runs of a repository, newest first. */
  listRuns(owner: string, repository: string): Promise<GiteaRun[]>;
  /** Every job of a repository, in all of its runs. */
  listJobs(owner: string, repository: string): Promise<GiteaJob[]>;
  /** Every task of a repository. A task is an attempt at a job that a runner took. */
  listTasks(owner: string, repository: string): Promise<GiteaTask[]>;
  /** Runs the jobs of a run again. */
  rerun(owner: string, repository: string, runId: number): Promise<void>;
  /** The names of the runners of an organization or one of its repositories. */
  listRunners(owner: string, repository?: string): Promise<string[]>;
  /** Lets a disabled runner of an organization get jobs again. */
  enableRunner(owner: string, runnerId: number): Promise<void>;
}

const Run = z.looseObject({ id: z.int(), status: z.string(), conclusion: z.string().optional() });
export type GiteaRun = z.infer<typeof Run>;

const Job = z.object({
  id: z.int(),
  run_id: z.int(),
  run_attempt: z.int(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  runner_id: z.int().optional(),
  runner_name: z.string().optional(),
  created_at: z.iso.datetime({ offset: true }),
  started_at: z.iso.datetime({ offset: true }).nullish(),
  completed_at: z.iso.datetime({ offset: true }).nullish(),
});
export type GiteaJob = z.infer<typeof Job>;

const Task = z.object({ id: z.int(), name: z.string(), status: z.string() });
export type GiteaTask = z.infer<typeof Task>;

/** Gitea's largest page size. */
const pageSize = 50;

/** Makes a client for a test's Gitea. */
export function createGiteaClient({ url, adminToken }: Pick<Gitea, 'url' | 'adminToken'>): GiteaClient {
  async function ask<T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return schema.parse(text === '' ? undefined : JSON.parse(text));
  }
  return {
    createOrganization: async (username) => {
      await ask('POST', '/orgs', z.unknown(), { username });
    },
    createRepository: async (owner, name) => {
      const created = await ask('POST', `/orgs/${owner}/repos`, z.object({ id: z.int() }), { name, auto_init: true });
      await ask('PATCH', `/repos/${owner}/${name}`, z.unknown(), { has_actions: true });
      return created;
    },
    createWebhook: async (owner, hook) => {
      const config = { url: hook.url, content_type: 'json', secret: hook.secret };
      await ask('POST', `/orgs/${owner}/hooks`, z.unknown(), {
        type: 'gitea',
        active: true,
        events: ['workflow_job'],
        config,
      });
    },
    commitWorkflow: async (owner, repository, file, content) => {
      const path = `/repos/${owner}/${repository}/contents/.gitea/workflows/${file}`;
      const body = { content: Buffer.from(content).toString('base64'), message: `add ${file}` };
      const Committed = z.object({ commit: z.object({ sha: z.string() }) });
      return (await ask('POST', path, Committed, body)).commit.sha;
    },
    listRuns: async (owner, repository) => {
      const Runs = z.object({ workflow_runs: z.array(Run) });
      return (await ask('GET', `/repos/${owner}/${repository}/actions/runs`, Runs)).workflow_runs;
    },
    listJobs: async (owner, repository) => {
      const Jobs = z.object({ jobs: z.array(Job) });
      const path = `/repos/${owner}/${repository}/actions/jobs`;
      return pages(async (page) => (await ask('GET', `${path}?limit=${pageSize}&page=${page}`, Jobs)).jobs);
    },
    listTasks: async (owner, repository) => {
      const Tasks = z.object({ workflow_runs: z.array(Task) });
      const path = `/repos/${owner}/${repository}/actions/tasks`;
      return pages(async (page) => (await ask('GET', `${path}?limit=${pageSize}&page=${page}`, Tasks)).workflow_runs);
    },
    rerun: async (owner, repository, runId) => {
      await ask('POST', `/repos/${owner}/${repository}/actions/runs/${runId}/rerun`, z.unknown());
    },
    listRunners: async (owner, repository) => {
      const place = repository === undefined ? `/orgs/${owner}` : `/repos/${owner}/${repository}`;
      const Runners = z.object({ runners: z.array(z.object({ name: z.string() })) });
      const path = `${place}/actions/runners`;
      const runners = await pages(
        async (page) => (await ask('GET', `${path}?limit=${pageSize}&page=${page}`, Runners)).runners,
      );
      return runners.map(({ name }) => name);
    },
    enableRunner: async (owner, runnerId) => {
      await ask('PATCH', `/orgs/${owner}/actions/runners/${runnerId}`, z.unknown(), { disabled: false });
    },
  };
}

async function pages<Item>(read: (page: number) => Promise<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; ; page += 1) {
    const items = await read(page);
    all.push(...items);
    if (items.length < pageSize) return all;
  }
}

import * as z from 'zod';
import type { Gitea } from './start-gitea.ts';

const Run = z.looseObject({ id: z.int(), status: z.string(), conclusion: z.string().optional() });

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

const pageSize = 50;

/** A test's actions in a Gitea as its administrator. */
export class GiteaClient {
  readonly #gitea: Pick<Gitea, 'url' | 'adminToken'>;

  constructor(gitea: Pick<Gitea, 'url' | 'adminToken'>) {
    this.#gitea = gitea;
  }

  async createOrganization(username: string): Promise<void> {
    await this.#ask('POST', '/orgs', z.unknown(), { username });
  }

  /** Creates a repository with Actions. */
  async createRepository(owner: string, name: string): Promise<{ id: number }> {
    const Created = z.object({ id: z.int() });
    const created = await this.#ask('POST', `/orgs/${owner}/repos`, Created, { name, auto_init: true });
    await this.#ask('PATCH', `/repos/${owner}/${name}`, z.unknown(), { has_actions: true });
    return created;
  }

  /** Delivers an organization's job events to a URL. */
  async createWebhook(owner: string, { url, secret }: { url: string; secret: string }): Promise<void> {
    const config = { url, content_type: 'json', secret };
    const hook = { type: 'gitea', active: true, events: ['workflow_job'], config };
    await this.#ask('POST', `/orgs/${owner}/hooks`, z.unknown(), hook);
  }

  /** Commits a workflow; one that is `on: [push]` starts its jobs. @returns the commit's SHA */
  async commitWorkflow(owner: string, repository: string, file: string, content: string): Promise<string> {
    const path = `/repos/${owner}/${repository}/contents/.gitea/workflows/${file}`;
    const body = { content: Buffer.from(content).toString('base64'), message: `add ${file}` };
    const Committed = z.object({ commit: z.object({ sha: z.string() }) });
    return (await this.#ask('POST', path, Committed, body)).commit.sha;
  }

  /** The runs of a repository, newest first. */
  listRuns(owner: string, repository: string): Promise<z.infer<typeof Run>[]> {
    return this.#list(`/repos/${owner}/${repository}/actions/runs`, 'workflow_runs', Run);
  }

  listJobs(owner: string, repository: string): Promise<GiteaJob[]> {
    return this.#list(`/repos/${owner}/${repository}/actions/jobs`, 'jobs', Job);
  }

  /** Every task of a repository. A task is an attempt at a job that a runner took. */
  listTasks(owner: string, repository: string): Promise<GiteaTask[]> {
    return this.#list(`/repos/${owner}/${repository}/actions/tasks`, 'workflow_runs', Task);
  }

  /** Runs the jobs of a run again. */
  async rerun(owner: string, repository: string, runId: number): Promise<void> {
    await this.#ask('POST', `/repos/${owner}/${repository}/actions/runs/${runId}/rerun`, z.unknown());
  }

  /** The names of the runners of an organization or one of its repositories. */
  async listRunners(owner: string, repository?: string): Promise<string[]> {
    const place = repository === undefined ? `/orgs/${owner}` : `/repos/${owner}/${repository}`;
    const runners = await this.#list(`${place}/actions/runners`, 'runners', z.object({ name: z.string() }));
    return runners.map(({ name }) => name);
  }

  /** Lets a disabled runner of an organization get jobs again. */
  async enableRunner(owner: string, runnerId: number): Promise<void> {
    await this.#ask('PATCH', `/orgs/${owner}/actions/runners/${runnerId}`, z.unknown(), { disabled: false });
  }

  /** Reads all pages of a list. @param key the field of an answer that has its items */
  async #list<Item>(path: string, key: string, schema: z.ZodType<Item>): Promise<Item[]> {
    const Page = z.object({ [key]: z.array(schema) });
    const all: Item[] = [];
    for (let page = 1; ; page += 1) {
      const { [key]: items = [] } = await this.#ask('GET', `${path}?limit=${pageSize}&page=${page}`, Page);
      all.push(...items);
      if (items.length < pageSize) return all;
    }
  }

  async #ask<T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> {
    const { url, adminToken } = this.#gitea;
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return schema.parse(text === '' ? undefined : JSON.parse(text));
  }
}

import { TerminalError } from '../../core/errors/errors.ts';
import { jsonIn } from '../../core/json-in.ts';
import * as z from '../../core/zod.ts';
import { askCi, askUnlessGone, type CiConnection, type CiRequest, callCi, parseAnswer } from '../ci-http.ts';
import { Hook, Job, NewRunner, PipelineJob, Place, Project, Runner, RunnerDetails, RunnerJob } from './answers.ts';
import { type GitlabPlace, pathOf } from './place.ts';

/** The largest page that GitLab gives. */
const pageSize = 100;

/** A page of a list. */
export interface GitlabPage<Item> {
  items: Item[];
  /** The number of the next page; absent on the last one. */
  next?: number;
  /** How many pages there are, where GitLab counts them. */
  pages?: number;
}

/** What a runner is made with. */
export interface RunnerToMake {
  place: GitlabPlace;
  /** The id of the place. */
  placeId: number;
  name: string;
  tags: readonly string[];
}

/** Changes of a webhook. Older versions ignore what they do not know. */
export interface HookChange {
  job_events?: boolean;
  /** Sent in each request. An empty one is none. */
  token?: string;
  /** Signs each request, from 19.0 on: `whsec_` and the base64 of 32 bytes. */
  signing_token?: string;
  custom_webhook_template?: string;
}

/** A webhook to make. */
export interface HookToMake extends HookChange {
  url: string;
  name: string;
  push_events: boolean;
  enable_ssl_verification: boolean;
}

/** Every request that davit makes to a GitLab. Each method may throw what `callCi` throws. */
export class GitlabApi {
  readonly #connection: CiConnection;

  constructor(connection: CiConnection) {
    this.#connection = connection;
  }

  /** Reads the id of a group or a project. @param path by `pathOf` */
  async placeId(path: string): Promise<number> {
    const query = path.startsWith('/groups/') ? '?with_projects=false' : '';
    return (await askCi(this.#connection, { method: 'GET', path: `${path}${query}` }, Place)).id;
  }

  /** Lists the ids of the projects of a group and of its subgroups. */
  async projectIds(group: string): Promise<number[]> {
    const query = 'include_subgroups=true&archived=false&with_shared=false&simple=true&order_by=id&sort=asc';
    const projects = await this.#askAll(`${pathOf({ group })}/projects?${query}`, Project);
    return projects.map(({ id }) => id);
  }

  /** Lists the jobs of a project that have one of GitLab's statuses, the newest first. */
  async jobs(project: number | string, statuses: readonly string[]): Promise<Job[]> {
    const scopes = statuses.map((status) => `scope%5B%5D=${status}`).join('&');
    return this.#askAll(`${pathOfProject(project)}/jobs?${scopes}`, Job);
  }

  /** Reads a job. @returns undefined when there is none, or GitLab does not show the project */
  async job(project: number | string, jobId: number): Promise<Job | undefined> {
    return askUnlessGone(this.#connection, { method: 'GET', path: `${pathOfProject(project)}/jobs/${jobId}` }, Job);
  }

  /** Lists the jobs of a pipeline, with those that were retried. */
  async pipelineJobs(project: string, pipelineId: number): Promise<PipelineJob[]> {
    return this.#askAll(`${pathOfProject(project)}/pipelines/${pipelineId}/jobs?include_retried=true`, PipelineJob);
  }

  /** Makes a new job of one that is over. @returns false when GitLab does not run it again */
  async retry(project: string, jobId: number): Promise<boolean> {
    const path = `${pathOfProject(project)}/jobs/${jobId}/retry`;
    const { status, headers, text } = await callCi(this.#connection, { method: 'POST', path, expect: [403] });
    if (status !== 403) return true;
    const words = wordsOf(headers, text) ?? '403';
    if (/not retryable/i.test(words)) return false;
    throw new TerminalError('CiRefused', `${this.#connection.name}: job ${jobId} is not run again: ${words}`);
  }

  /** Reads a page of the runners that a place has of its own. */
  async runners(place: GitlabPlace, page: number): Promise<GitlabPage<Runner>> {
    const type = 'group' in place ? 'group_type' : 'project_type';
    return this.#askPage(`${pathOf(place)}/runners?type=${type}`, Runner, page);
  }

  /** Reads a runner. @returns undefined when there is none */
  async runner(id: number): Promise<RunnerDetails | undefined> {
    return askUnlessGone(this.#connection, { method: 'GET', path: `/runners/${id}` }, RunnerDetails);
  }

  /** Lists the jobs that a runner runs or ran. @returns undefined when there is no such runner */
  async jobsOfRunner(id: number): Promise<z.infer<typeof RunnerJob>[] | undefined> {
    const path = `/runners/${id}/jobs?order_by=id&sort=desc&per_page=${pageSize}`;
    return askUnlessGone(this.#connection, { method: 'GET', path }, z.array(RunnerJob));
  }

  /** Makes a runner, whether there is one of its name or not. */
  async makeRunner({ place, placeId, name, tags }: RunnerToMake): Promise<z.infer<typeof NewRunner>> {
    const where =
      'group' in place
        ? { runner_type: 'group_type', group_id: placeId }
        : { runner_type: 'project_type', project_id: placeId, locked: true };
    const body = { ...where, description: name, tag_list: tags, run_untagged: false };
    return askCi(this.#connection, { method: 'POST', path: '/user/runners', body }, NewRunner);
  }

  /** Lets a runner get no more jobs, with a note. A runner that is gone is success. */
  async pause(id: number, note: string): Promise<void> {
    await this.#changeRunner(id, { paused: true, maintenance_note: note });
  }

  /** Replaces a runner's maintenance note. A runner that is gone is success. */
  async note(id: number, note: string): Promise<void> {
    await this.#changeRunner(id, { maintenance_note: note });
  }

  async #changeRunner(id: number, body: { paused?: true; maintenance_note: string }): Promise<void> {
    await callCi(this.#connection, { method: 'PUT', path: `/runners/${id}`, body, expect: [404] });
  }

  /** Deletes a runner, whatever it runs. @returns whether there was one */
  async deleteRunner(id: number): Promise<boolean> {
    const { status } = await callCi(this.#connection, { method: 'DELETE', path: `/runners/${id}`, expect: [404] });
    return status !== 404;
  }

  /** Lists the webhooks of a place. */
  async hooks(place: GitlabPlace): Promise<Hook[]> {
    return this.#askAll(`${pathOf(place)}/hooks?order_by=id`, Hook);
  }

  /** Makes a webhook, whether there is one of its URL or not. */
  async makeHook(place: GitlabPlace, body: HookToMake): Promise<Hook> {
    return askCi(this.#connection, { method: 'POST', path: `${pathOf(place)}/hooks`, body }, Hook);
  }

  /** Changes a webhook. What is not given stays. */
  async changeHook(place: GitlabPlace, id: number, body: HookChange): Promise<Hook> {
    return askCi(this.#connection, { method: 'PUT', path: `${pathOf(place)}/hooks/${id}`, body }, Hook);
  }

  /** Has GitLab deliver the latest job to a webhook: a success enables one that is disabled. */
  async testHook(place: GitlabPlace, id: number): Promise<void> {
    await callCi(this.#connection, { method: 'POST', path: `${pathOf(place)}/hooks/${id}/test/job_events` });
  }

  async #askPage<Item>(path: string, schema: z.core.$ZodType<Item>, page: number): Promise<GitlabPage<Item>> {
    const request: CiRequest = { method: 'GET', path: `${path}&per_page=${pageSize}&page=${page}` };
    const { headers, body } = await callCi(this.#connection, request);
    const items = parseAnswer(this.#connection, request, z.array(schema), body);
    const [next, pages] = ['x-next-page', 'x-total-pages'].map((name) => Number(headers.get(name) ?? 0));
    return { items, ...(next ? { next } : {}), ...(pages ? { pages } : {}) };
  }

  /** An item may be missing: it moves to an earlier page when another one goes. */
  async #askAll<Item>(path: string, schema: z.core.$ZodType<Item>): Promise<Item[]> {
    const found: Item[] = [];
    let page: number | undefined = 1;
    while (page !== undefined) {
      const read: GitlabPage<Item> = await this.#askPage(path, schema, page);
      found.push(...read.items);
      page = read.next;
    }
    return found;
  }
}

function pathOfProject(project: number | string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

const Refusal = z.object({
  message: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
  error_description: z.optional(z.string()),
  scope: z.optional(z.string()),
});

/** Reads GitLab's words from a refusal: `{message}`, as text or by fields, or OAuth's `{error, error_description, scope}`. */
export function wordsOf(_headers: Headers, text: string): string | undefined {
  const { message, error, error_description: description, scope } = z.safeParse(Refusal, jsonIn(text)).data ?? {};
  const scopes = scope === undefined ? '' : ` One of these scopes is needed: ${scope}`;
  if (description !== undefined) return `${description}${scopes}`;
  const words = message ?? error;
  if (words === undefined) return undefined;
  return typeof words === 'string' ? words : JSON.stringify(words);
}

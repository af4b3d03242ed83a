import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import * as z from '../../core/zod.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import { askCi, askUnlessGone, type CiConnection, type CiRequest, callCi, parseAnswer } from '../ci-http.ts';
import { type ListPage, readOverlapping } from '../overlapping-pages.ts';
import { repositoryPath } from '../scope-path.ts';
import { Job, Jobs, Registered, Repository, Run, Runner } from './answers.ts';

/** Forgejo's default for its `MAX_RESPONSE_ITEMS`; it reduces a larger limit to that, so any page may be shorter. */
const pageSize = 50;

/** For how long davit remembers the name of a repository, in milliseconds: it may be renamed. */
const nameMaxAgeMs = 10 * 60_000;

/**
 * Every request that davit makes to Forgejo. Each method may throw what `callCi` throws.
 *
 * @see https://codeberg.org/forgejo/forgejo, `routers/api/v1/shared/runners.go`
 */
export class ForgejoApi {
  readonly #connection: CiConnection;
  readonly #scope: string;
  readonly #names;

  /** @param scope the path below which the runners are, such as `/orgs/acme` */
  constructor(connection: CiConnection, scope: string) {
    this.#connection = connection;
    this.#scope = scope;
    this.#names = createAgedCache<RepositoryName | undefined>({
      load: async (id) => this.#nameOf(id),
      maxAgeMs: nameMaxAgeMs,
      nowEpochMs: Date.now,
    });
  }

  /** Lists the jobs of the scope that wait or run, oldest first. */
  async jobs(): Promise<Job[]> {
    return this.#jobsIn(this.#scope);
  }

  /** Lists the jobs of a repository that wait or run. */
  async jobsOf(repository: RepositoryName): Promise<Job[]> {
    return this.#jobsIn(repositoryPath(repository));
  }

  async #jobsIn(place: string): Promise<Job[]> {
    const jobs = (await askCi(this.#connection, { method: 'GET', path: `${place}/actions/runners/jobs` }, Jobs)) ?? [];
    return jobs.toSorted((one, other) => one.id - other.id);
  }

  /** Lists all jobs of a run, in any status. @returns undefined when Forgejo has no such list, as before version 16 */
  async jobsOfRun(repository: RepositoryName, runId: number): Promise<Job[] | undefined> {
    const path = `${repositoryPath(repository)}/actions/runs/${runId}/jobs`;
    return askUnlessGone(this.#connection, { method: 'GET', path }, z.array(Job));
  }

  /** Reads the status of a run. @returns undefined when Forgejo has no such run */
  async runStatus(repository: RepositoryName, runId: number): Promise<string | undefined> {
    const path = `${repositoryPath(repository)}/actions/runs/${runId}`;
    return (await askUnlessGone(this.#connection, { method: 'GET', path }, Run))?.status;
  }

  /** Finds the name of a repository. @returns undefined for one that is gone, or that Forgejo does not show yet */
  async repository(id: number): Promise<RepositoryName | undefined> {
    return (await this.#names.get(`${id}`)) ?? this.#names.reload(`${id}`);
  }

  /** Checks that the token may read the names of repositories, by one that nobody has. */
  async checkNames(): Promise<void> {
    await this.#nameOf('0');
  }

  async #nameOf(id: string): Promise<RepositoryName | undefined> {
    const found = await askUnlessGone(this.#connection, { method: 'GET', path: `/repositories/${id}` }, Repository);
    const [owner = '', name = ''] = found?.full_name.split('/') ?? [];
    return found && { owner, name };
  }

  /** Registers a runner for one job. Names are not unique. */
  async register(name: string): Promise<z.infer<typeof Registered>> {
    const body = { name, ephemeral: true };
    return askCi(this.#connection, { method: 'POST', path: this.#runners, body }, Registered);
  }

  /**
   * Reads a runner. Forgejo also answers 404 for things that it hides, so a runner is gone only if davit sees its place.
   *
   * @returns undefined for one that is gone
   * @throws as `callCi`; TerminalError CiRefused when Forgejo does not show the place
   */
  async runner(id: number): Promise<Runner | undefined> {
    const runner = await askUnlessGone(this.#connection, { method: 'GET', path: `${this.#runners}/${id}` }, Runner);
    if (runner === undefined) await callCi(this.#connection, { method: 'GET', path: `${this.#runners}?limit=1` });
    return runner;
  }

  /** Deletes a runner, whatever its agent does. @returns whether it was there */
  async deleteRunner(id: number): Promise<boolean> {
    const path = `${this.#runners}/${id}`;
    return (await callCi(this.#connection, { method: 'DELETE', path, expect: [404] })).status !== 404;
  }

  /** Lists the runners of the scope. */
  async runners(): Promise<Runner[]> {
    return (await readOverlapping(pageSize, (limit, page) => this.#runnersIn(limit, page))).items;
  }

  /** Reads one page of them. */
  async runnersOnPage(page: number): Promise<ListPage<Runner>> {
    return this.#runnersIn(pageSize, page);
  }

  async #runnersIn(limit: number, page: number): Promise<ListPage<Runner>> {
    const request: CiRequest = { method: 'GET', path: `${this.#runners}?limit=${limit}&page=${page}` };
    const { body, headers } = await callCi(this.#connection, request);
    const items = parseAnswer(this.#connection, request, z.array(Runner), body);
    const total = Number(headers.get('x-total-count') ?? Number.NaN);
    return { items, total: Number.isInteger(total) ? total : Infinity };
  }

  get #runners(): string {
    return `${this.#scope}/actions/runners`;
  }
}

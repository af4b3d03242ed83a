import * as z from '../../../core/zod.ts';
import type { FakeJob, FakeRunner, ForgejoState } from './forgejo-state.ts';
import { json, type Route, refuse } from './route.ts';

/** `modules/structs/action.go`, `RegisterRunnerOptions`. */
const Registering = z.object({
  name: z.string().check(z.minLength(1)),
  description: z.optional(z.string()),
  ephemeral: z.optional(z.boolean()),
});

/**
 * The API of Forgejo as far as davit uses it, from Forgejo's source at https://codeberg.org/forgejo/forgejo:
 * `routers/api/v1/shared/runners.go` (runners and their jobs), `routers/api/v1/repo/action.go` (runs) and
 * `services/convert/action.go` (what each answer has).
 *
 * @param version 16 has the list of a run's jobs, `ListActionRunJobs`, and `run_id` in jobs
 */
export function apiRoutes(state: ForgejoState, version: 15 | 16): Route[] {
  /** `ToActionRunJob`. */
  const jobBody = ({ id, attempt, handle, repositoryId, runId, name, runsOn, taskId, status }: FakeJob) => ({
    id,
    ...(version === 15 ? {} : { run_id: runId }),
    attempt,
    handle,
    repo_id: repositoryId,
    owner_id: 1,
    name,
    needs: null,
    runs_on: runsOn,
    task_id: taskId,
    status,
  });
  /** `ToActionRunner`. */
  const runnerBody = (runner: FakeRunner) => ({
    id: runner.id,
    uuid: runner.uuid,
    name: runner.name,
    description: '',
    labels: runner.labels,
    owner_id: 1,
    repo_id: 0,
    version: '',
    status: state.statusOf(runner),
    ephemeral: runner.ephemeral,
  });
  /** `fromRunJobModelToResponse`: a `var res []…` to which nothing is appended is null. */
  const listOf = (jobs: readonly FakeJob[], missing: ReadonlySet<string>) => {
    const open = jobs.filter(({ status, handle }) => /^(waiting|running)$/.test(status) && !missing.has(handle));
    return json(200, open.length === 0 ? null : open.map(jobBody));
  };
  const inRepository = (name: string | undefined) => {
    const id = [...state.repositories].find(([, each]) => each === `acme/${name}`)?.[0];
    return id === undefined ? undefined : [...state.jobs.values()].filter((job) => job.repositoryId === id);
  };
  const notFound = () => refuse(404, "The target couldn't be found.");

  return [
    // GetActionRunJobs: waiting and running ones, without pages.
    [
      'GET',
      /^\/orgs\/acme\/actions\/runners\/jobs$/,
      () => listOf([...state.jobs.values()], state.missing.organization),
    ],
    [
      'GET',
      /^\/repos\/acme\/([^/]+)\/actions\/runners\/jobs$/,
      ([name]) => {
        const jobs = inRepository(name);
        return jobs === undefined ? notFound() : listOf(jobs, state.missing.repository);
      },
    ],
    // ListRunners: a list, with its length in a header.
    [
      'GET',
      /^\/orgs\/acme\/actions\/runners$/,
      (_parts, { query }) => {
        const all = [...state.runners.values()];
        const limit = Math.min(50, Number(query.get('limit') ?? 50));
        const from = (Number(query.get('page') ?? 1) - 1) * limit;
        const headers = { 'x-total-count': `${all.length}` };
        return json(200, all.slice(from, from + limit).map(runnerBody), headers);
      },
    ],
    // RegisterRunner: each call makes another runner, whatever its name.
    [
      'POST',
      /^\/orgs\/acme\/actions\/runners$/,
      (_parts, { body }) => {
        const { name, ephemeral = false } = Registering.parse(body);
        const { id, uuid, token } = state.register(name, ephemeral);
        return json(201, { id, uuid, token });
      },
    ],
    [
      'GET',
      /^\/orgs\/acme\/actions\/runners\/(\d+)$/,
      ([id]) => {
        const runner = state.runners.get(Number(id));
        return runner === undefined ? notFound() : json(200, runnerBody(runner));
      },
    ],
    // DeleteRunner: does not ask whether the runner runs a job.
    [
      'DELETE',
      /^\/orgs\/acme\/actions\/runners\/(\d+)$/,
      ([id]) => (state.runners.delete(Number(id)) ? json(204, undefined) : notFound()),
    ],
    [
      'GET',
      /^\/repositories\/(\d+)$/,
      ([id]) => {
        const full_name = state.repositories.get(Number(id));
        return full_name === undefined ? notFound() : json(200, { id: Number(id), full_name });
      },
    ],
    // ListActionRunJobs: in any status.
    [
      'GET',
      /^\/repos\/acme\/([^/]+)\/actions\/runs\/(\d+)\/jobs$/,
      ([name, runId]) => {
        const jobs = (inRepository(name) ?? []).filter((job) => job.runId === Number(runId));
        return version === 15 || jobs.length === 0 ? notFound() : json(200, jobs.map(jobBody));
      },
    ],
    [
      'GET',
      /^\/repos\/acme\/([^/]+)\/actions\/runs\/(\d+)$/,
      ([name, runId]) => {
        const job = (inRepository(name) ?? []).find((each) => each.runId === Number(runId));
        return job === undefined ? notFound() : json(200, { id: job.runId, status: job.status });
      },
    ],
  ];
}

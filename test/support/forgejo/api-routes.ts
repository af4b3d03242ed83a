import type {
  ActionRunData,
  ActionRunner,
  ActionRunResponses,
  DeleteOrgRunnerData,
  DeleteOrgRunnerResponses,
  GetOrgRunnerData,
  GetOrgRunnerResponses,
  GetOrgRunnersData,
  GetOrgRunnersResponses,
  ActionRunJob as JobIn15,
  OrgSearchRunJobsData,
  RegisterOrgRunnerData,
  RegisterOrgRunnerResponses,
  RegisterRunnerOptions,
  RepoGetByIdData,
  RepoGetByIdResponses,
  RepoSearchRunJobsData,
} from '@llamaduck/forgejo-ts';
import * as z from '../../../core/zod.ts';
import { json, type Routes } from '../serve-routes.ts';
import { describedRoute, notFound } from './described-route.ts';
import type { FakeJob, FakeRunner, ForgejoState } from './forgejo-state.ts';

/** The fields that a request may have. Forgejo itself ignores others. */
const Registering: z.ZodMiniType<RegisterRunnerOptions> = z.strictObject({
  name: z.string().check(z.minLength(1)),
  description: z.exactOptional(z.string()),
  ephemeral: z.exactOptional(z.boolean()),
});

/** The description has no null. A Go slice to which nothing is appended is null: `needs`, and a list of no jobs. */
type RunJob = Omit<JobIn15, 'needs'> & { needs: null; run_id?: number };
type RunJobs = { 200: RunJob[] | null };

/**
 * The API of Forgejo as far as davit uses it, from Forgejo's source at https://codeberg.org/forgejo/forgejo:
 * `routers/api/v1/shared/runners.go` (runners and their jobs), `routers/api/v1/repo/action.go` (runs) and
 * `services/convert/action.go` (what each answer has).
 *
 * @param version 16 has the list of a run's jobs, `ListActionRunJobs`, and `run_id` in jobs
 */
export function apiRoutes(state: ForgejoState, version: 15 | 16): Routes {
  /** `ToActionRunJob`. */
  const jobBody = ({ id, attempt, handle, repositoryId, runId, name, runsOn, taskId, status }: FakeJob): RunJob => ({
    id,
    ...(version === 15 ? {} : { run_id: runId }),
    attempt,
    handle,
    repo_id: repositoryId,
    owner_id: 1,
    name,
    needs: null,
    runs_on: [...runsOn],
    task_id: taskId,
    status,
  });
  /** `ToActionRunner`. */
  const runnerBody = (runner: FakeRunner): ActionRunner => ({
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
  /** `fromRunJobModelToResponse`: waiting and running ones, without pages. */
  const listOf = (jobs: readonly FakeJob[], missing: ReadonlySet<string>) => {
    const open = jobs.filter(({ status, handle }) => /^(waiting|running)$/.test(status) && !missing.has(handle));
    return { status: 200, body: open.length === 0 ? null : open.map(jobBody) } as const;
  };
  const inRepository = (owner: string, name: string) => {
    const id = [...state.repositories].find(([, each]) => each === `${owner}/${name}`)?.[0];
    return id === undefined ? undefined : [...state.jobs.values()].filter((job) => job.repositoryId === id);
  };

  return {
    ...describedRoute<OrgSearchRunJobsData, RunJobs>('GET', '/orgs/{org}/actions/runners/jobs', {
      respond: () => listOf([...state.jobs.values()], state.missing.organization),
    }),
    ...describedRoute<RepoSearchRunJobsData, RunJobs>('GET', '/repos/{owner}/{repo}/actions/runners/jobs', {
      respond: ({ owner, repo }) => {
        const jobs = inRepository(owner, repo);
        return jobs && listOf(jobs, state.missing.repository);
      },
    }),
    ...describedRoute<GetOrgRunnersData, GetOrgRunnersResponses>('GET', '/orgs/{org}/actions/runners', {
      query: ['limit', 'page'],
      respond: (_path, { query }) => {
        const all = [...state.runners.values()];
        const limit = Math.min(50, Number(query.get('limit') ?? 50));
        const from = (Number(query.get('page') ?? 1) - 1) * limit;
        const headers = { 'x-total-count': `${all.length}` };
        return { status: 200, body: all.slice(from, from + limit).map(runnerBody), headers };
      },
    }),
    // RegisterRunner: each call makes another runner, whatever its name.
    ...describedRoute<RegisterOrgRunnerData, RegisterOrgRunnerResponses>('POST', '/orgs/{org}/actions/runners', {
      respond: (_path, { body }) => {
        const { name, ephemeral = false } = Registering.parse(body);
        const { id, uuid, token } = state.register(name, ephemeral);
        return { status: 201, body: { id, uuid, token } };
      },
    }),
    ...describedRoute<GetOrgRunnerData, GetOrgRunnerResponses>('GET', '/orgs/{org}/actions/runners/{runner_id}', {
      respond: ({ runner_id: id }) => {
        const runner = state.runners.get(Number(id));
        return runner && { status: 200, body: runnerBody(runner) };
      },
    }),
    // DeleteRunner: does not ask whether the runner runs a job.
    ...describedRoute<DeleteOrgRunnerData, DeleteOrgRunnerResponses>(
      'DELETE',
      '/orgs/{org}/actions/runners/{runner_id}',
      {
        respond: ({ runner_id: id }) =>
          state.runners.delete(Number(id)) ? { status: 204, body: undefined } : undefined,
      },
    ),
    ...describedRoute<RepoGetByIdData, RepoGetByIdResponses>('GET', '/repositories/{id}', {
      respond: ({ id }) => {
        const full_name = state.repositories.get(Number(id));
        return full_name === undefined ? undefined : { status: 200, body: { id: Number(id), full_name } };
      },
    }),
    ...describedRoute<ActionRunData, ActionRunResponses>('GET', '/repos/{owner}/{repo}/actions/runs/{run_id}', {
      respond: ({ owner, repo, run_id: runId }) => {
        const job = inRepository(owner, repo)?.find((each) => each.runId === Number(runId));
        return job && { status: 200, body: { id: job.runId, status: job.status } };
      },
    }),
    // ListActionRunJobs, in any status: Forgejo 15 has no such operation, and so nor has its description.
    'GET /repos/acme/{name}/actions/runs/{runId}/jobs': ({ name = '', runId }) => {
      const jobs = inRepository('acme', name)?.filter((job) => job.runId === Number(runId)) ?? [];
      return version === 15 || jobs.length === 0 ? notFound() : json(200, jobs.map(jobBody));
    },
  };
}

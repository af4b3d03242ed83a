import * as z from '../../../core/zod.ts';
import { type Answer, json, type Routes } from '../serve-routes.ts';
import { jobEntity, jobWithProject, runnerDetails, runnerEntity } from './entities.ts';
import { type FakeRunner, type GitlabState, isInGroup, isOver } from './gitlab-state.ts';
import { type FakeHooks, hookRoutes } from './hook-routes.ts';
import { page, refuse } from './route.ts';

/** @see lib/api/user_runners.rb */
const NewRunner = z.object({
  runner_type: z.enum(['group_type', 'project_type']),
  group_id: z.optional(z.int()),
  project_id: z.optional(z.int()),
  description: z.withDefault(z.string(), ''),
  tag_list: z.withDefault(z.array(z.string()), []),
  run_untagged: z.withDefault(z.boolean(), true),
  paused: z.withDefault(z.boolean(), false),
});

/** @see lib/api/ci/runners.rb, `put ':id'` */
const Update = z.object({ paused: z.optional(z.boolean()), maintenance_note: z.optional(z.string()) });

/** What of the server the routes need. */
export interface ServerView {
  state: GitlabState;
  url: () => string;
  /** Whether the lists of runners lack what newer versions say. */
  isOld: () => boolean;
  /** Whether it does not show the jobs of a project. */
  isHidden: (project: string) => boolean;
  hooks: FakeHooks;
}

/**
 * The routes for users of GitLab's REST API v4.
 *
 * @see lib/api/ci/jobs.rb, lib/api/ci/runners.rb, lib/api/user_runners.rb, lib/api/ci/pipelines.rb of GitLab
 */
export function apiRoutes({ state, url, isOld, isHidden, hooks }: ServerView): Routes {
  const pathBy = (places: ReadonlyMap<string, number>, id: string) =>
    [...places].find(([path, number]) => path === id || `${number}` === id)?.[0];
  const inProject = (id: string, answer: (project: string) => Answer): Answer => {
    const project = pathBy(state.projects, id);
    return project === undefined ? refuse(404, '404 Project Not Found') : answer(project);
  };
  const inGroup = (id: string, answer: (group: string) => Answer): Answer => {
    const group = pathBy(state.groups, id);
    return group === undefined ? refuse(404, '404 Group Not Found') : answer(group);
  };
  const withRunner = (id: string, answer: (runner: FakeRunner) => Answer): Answer => {
    const runner = state.runners.get(Number(id));
    return runner === undefined ? refuse(404, '404 Not found') : answer(runner);
  };
  const runnersOf = (type: FakeRunner['type'], place: string, query: URLSearchParams) => {
    const own = [...state.runners.values()].filter((runner) => runner.type === type && runner.place === place);
    const listed = query.get('type') === type ? own : [...state.runners.values()];
    return page(
      listed.toReversed().map((runner) => runnerEntity(state, runner, isOld())),
      query,
    );
  };
  const placeOf = (kind: string, id: string) => pathBy(kind === 'groups' ? state.groups : state.projects, id);
  return {
    ...hookRoutes(hooks, () => state.nextId(), placeOf),
    'GET /groups/{id}': ({ id = '' }) =>
      inGroup(id, (path) => json(200, { id: state.groups.get(path), full_path: path })),
    'GET /groups/{id}/projects': ({ id = '' }, { query }) =>
      inGroup(id, (group) => {
        const inside = [...state.projects].filter(([path]) => isInGroup(path, group));
        return page(
          inside.map(([path, number]) => ({ id: number, path_with_namespace: path })),
          query,
        );
      }),
    'GET /groups/{id}/runners': ({ id = '' }, { query }) =>
      inGroup(id, (group) => runnersOf('group_type', group, query)),
    'GET /projects/{id}': ({ id = '' }) =>
      inProject(id, (path) => json(200, { id: state.projects.get(path), path_with_namespace: path })),
    'GET /projects/{id}/runners': ({ id = '' }, { query }) =>
      inProject(id, (project) => runnersOf('project_type', project, query)),
    'GET /projects/{id}/jobs': ({ id = '' }, { query }) =>
      inProject(id, (project) => {
        if (isHidden(project)) return refuse(403, '403 Forbidden');
        const scopes: string[] = query.getAll('scope[]');
        const jobs = state.jobs.filter((job) => job.project === project && scopes.includes(job.status));
        const newestFirst = jobs.toReversed().map((job) => jobEntity(state, url(), job));
        return page(newestFirst, query, false);
      }),
    'GET /projects/{id}/jobs/{jobId}': ({ id = '', jobId }) =>
      inProject(id, (project) => {
        const job = state.jobs.find((each) => each.project === project && `${each.id}` === jobId);
        return job === undefined ? refuse(404, '404 Not found') : json(200, jobEntity(state, url(), job));
      }),
    'POST /projects/{id}/jobs/{jobId}/retry': ({ id = '', jobId }) =>
      inProject(id, (project) => {
        const job = state.jobs.find((each) => each.project === project && `${each.id}` === jobId);
        if (job === undefined) return refuse(404, '404 Not found');
        const again = state.retry(job);
        return again === undefined
          ? refuse(403, '403 Forbidden - Job is not retryable')
          : json(201, jobEntity(state, url(), again));
      }),
    'GET /projects/{id}/pipelines/{pipelineId}/jobs': ({ id = '', pipelineId }, { query }) =>
      inProject(id, (project) => {
        const jobs = state.jobs.filter((job) => job.project === project && `${job.pipelineId}` === pipelineId);
        return page(
          jobs.map((job) => jobEntity(state, url(), job)),
          query,
        );
      }),
    'POST /user/runners': (_parts, { body }) => {
      const { runner_type: type, group_id: groupId, project_id: projectId, ...asked } = NewRunner.parse(body);
      const [places, id] = type === 'group_type' ? [state.groups, groupId] : [state.projects, projectId];
      const place = pathBy(places, `${id}`);
      if (place === undefined) return refuse(403, '403 Forbidden - Insufficient permissions');
      const { description, paused, tag_list: tags, run_untagged: runUntagged } = asked;
      // The name is no key: a repeated request makes another runner.
      const made = state.addRunner({ type, place, description, tags, paused, runUntagged, maintenanceNote: null });
      return json(201, { id: made.id, token: made.token, token_expires_at: null });
    },
    'GET /runners/{id}': ({ id = '' }) => withRunner(id, (runner) => json(200, runnerDetails(state, runner))),
    'PUT /runners/{id}': ({ id = '' }, { body }) =>
      withRunner(id, (runner) => {
        const { paused, maintenance_note: note } = Update.parse(body);
        runner.paused = paused ?? runner.paused;
        runner.maintenanceNote = note ?? runner.maintenanceNote;
        return json(200, runnerDetails(state, runner));
      }),
    'DELETE /runners/{id}': ({ id = '' }) =>
      withRunner(id, (runner) => {
        // app/services/ci/runners/unregister_runner_service.rb has no look at its jobs.
        if (state.jobsOf(runner.id).some((job) => !isOver(job))) state.deletedBusy.push(runner.id);
        state.runners.delete(runner.id);
        return { status: 204 };
      }),
    'GET /runners/{id}/jobs': ({ id = '' }, { query }) =>
      withRunner(id, (runner) => {
        const jobs = state.jobsOf(runner.id).toReversed();
        return page(
          jobs.map((job) => jobWithProject(state, url(), job)),
          query,
          false,
        );
      }),
  };
}

import { type FakeJob, type FakeRunner, type GitlabState, isOver } from './gitlab-state.ts';

/** GitLab's answers, as its entities expose them. The fields that davit does not read are left out where they are many. */

/** @see lib/api/entities/ci/runner.rb */
export function runnerEntity(state: GitlabState, { id, description, paused, type }: FakeRunner, isOld = false) {
  const isRunning = state.jobsOf(id).some((job) => !isOver(job));
  return {
    id,
    description,
    ip_address: null,
    active: !paused,
    paused,
    is_shared: false,
    runner_type: type,
    name: 'gitlab-runner',
    online: false,
    // It lags: davit must not read it.
    status: 'online',
    ...(isOld ? {} : { job_execution_status: isRunning ? 'active' : 'idle' }),
  };
}

/** @see lib/api/entities/ci/runner_details.rb */
export function runnerDetails(state: GitlabState, runner: FakeRunner) {
  const { tags, runUntagged, maintenanceNote } = runner;
  return {
    ...runnerEntity(state, runner),
    tag_list: tags,
    run_untagged: runUntagged,
    locked: true,
    maximum_timeout: null,
    access_level: 'not_protected',
    contacted_at: null,
    maintenance_note: maintenanceNote,
  };
}

/** @see lib/api/entities/ci/job_basic.rb */
export function jobBasic(state: GitlabState, url: string, job: FakeJob) {
  const { id, status, name, createdAtEpochMs, pipelineId, project } = job;
  return {
    id,
    status,
    stage: 'test',
    name,
    ref: 'main',
    tag: false,
    allow_failure: false,
    created_at: new Date(createdAtEpochMs).toISOString(),
    started_at: job.startedAtEpochMs === undefined ? null : new Date(job.startedAtEpochMs).toISOString(),
    queued_duration: state.queuedSecondsOf(job),
    pipeline: { id: pipelineId, project_id: state.projects.get(project), sha: shaOf(pipelineId), status: 'running' },
    web_url: `${url}/${project}/-/jobs/${id}`,
    project: { ci_job_token_scope_enabled: false },
  };
}

/** @see lib/api/entities/ci/job.rb */
export function jobEntity(state: GitlabState, url: string, job: FakeJob) {
  const runner = job.runnerId === undefined ? undefined : state.runners.get(job.runnerId);
  return {
    ...jobBasic(state, url, job),
    artifacts: [],
    runner: runner === undefined ? null : runnerEntity(state, runner),
    archived: false,
    tag_list: job.tags.toSorted(),
  };
}

/** @see lib/api/entities/ci/job_basic_with_project.rb */
export function jobWithProject(state: GitlabState, url: string, job: FakeJob) {
  const { project } = job;
  const identity = { id: state.projects.get(project), name: project.split('/').at(-1), path_with_namespace: project };
  return { ...jobBasic(state, url, job), project: identity };
}

/** The body of a job's webhook, which has no tags of the job. @see lib/gitlab/data_builder/build.rb */
export function jobHook(state: GitlabState, url: string, job: FakeJob) {
  const { id, name, status, pipelineId, project, createdAtEpochMs, runnerId } = job;
  const runner = runnerId === undefined ? undefined : state.runners.get(runnerId);
  return {
    object_kind: 'build',
    ref: 'main',
    sha: shaOf(pipelineId),
    build_id: id,
    build_name: name,
    build_stage: 'test',
    build_status: status,
    build_created_at: new Date(createdAtEpochMs).toISOString(),
    pipeline_id: pipelineId,
    runner:
      runner === undefined
        ? null
        : { id: runner.id, description: runner.description, runner_type: runner.type, active: true, tags: runner.tags },
    project_id: state.projects.get(project),
    project_name: project.replaceAll('/', ' / '),
    // The id is the pipeline's.
    commit: { id: pipelineId, sha: shaOf(pipelineId), message: 'a change' },
    repository: { name: project, homepage: `${url}/${project}` },
    retries_count: 0,
  };
}

/** The commit of a pipeline. */
export function shaOf(pipelineId: number): string {
  return pipelineId.toString(16).padStart(40, '0');
}

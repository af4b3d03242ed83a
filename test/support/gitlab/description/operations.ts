/** The type of a value, as OpenAPI names it; or the values that it may have. */
export type Described = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string' | readonly string[];

/** The fields of a body, or the parameters of a query. */
export type Fields = Readonly<Record<string, Described>>;

/** What the description says of one operation. */
export interface Operation {
  query?: Fields;
  body?: Fields;
  /** The fields that a body must have. */
  required?: readonly string[];
  statuses: readonly number[];
  /** The fields of a successful answer; absent where it has no body. */
  answer?: Fields;
  /** Whether a successful answer is a list. */
  isList?: boolean;
}

const paged = { page: 'integer', per_page: 'integer' } as const;
const jobStatuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
];
const runnerTypes = ['instance_type', 'group_type', 'project_type'];

/** `APIEntitiesCiRunner`: the fields that `APIEntitiesCiRunnerDetails` begins with. */
const runner = {
  id: 'integer',
  description: 'string',
  ip_address: 'string',
  active: 'boolean',
  paused: 'boolean',
  is_shared: 'boolean',
  runner_type: runnerTypes,
  name: 'string',
  online: 'boolean',
  created_by: 'object',
  created_at: 'string',
  status: 'string',
  job_execution_status: ['active', 'idle'],
} as const satisfies Fields;

/** `APIEntitiesCiRunnerDetails` */
const runnerDetails = {
  ...runner,
  tag_list: 'string',
  run_untagged: 'string',
  locked: 'string',
  maximum_timeout: 'string',
  access_level: 'string',
  version: 'string',
  revision: 'string',
  platform: 'string',
  architecture: 'string',
  contacted_at: 'string',
  maintenance_note: 'string',
  projects: 'object',
  groups: 'object',
} as const satisfies Fields;

/** `APIEntitiesCiJobBasic` */
const job = {
  id: 'integer',
  status: 'string',
  stage: 'string',
  name: 'string',
  ref: 'string',
  tag: 'boolean',
  coverage: 'number',
  allow_failure: 'boolean',
  created_at: 'string',
  started_at: 'string',
  finished_at: 'string',
  erased_at: 'string',
  duration: 'number',
  queued_duration: 'number',
  user: 'object',
  commit: 'object',
  pipeline: 'object',
  failure_reason: 'string',
  web_url: 'string',
  project: 'object',
} as const satisfies Fields;

/** The fields of a change of a webhook that davit may send. */
const hook = {
  url: 'string',
  name: 'string',
  push_events: 'boolean',
  job_events: 'boolean',
  enable_ssl_verification: 'boolean',
  token: 'string',
  signing_token: 'string',
  custom_webhook_template: 'string',
} as const satisfies Fields;

const runnersQuery = {
  type: runnerTypes,
  paused: 'boolean',
  status: ['active', 'paused', 'online', 'offline', 'never_contacted', 'stale'],
  tag_list: 'array',
  version_prefix: 'string',
  ...paged,
} as const satisfies Fields;

/**
 * The operations that davit calls, as GitLab's description has them. Their paths begin after `/api/v4`.
 *
 * @see ./README.md for the source, its version and its licence
 */
export const operations: Readonly<Record<string, Operation>> = {
  'GET /groups/{id}/projects': {
    query: {
      include_subgroups: 'boolean',
      archived: 'boolean',
      with_shared: 'boolean',
      simple: 'boolean',
      order_by: ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'similarity', 'star_count'],
      sort: ['asc', 'desc'],
      ...paged,
    },
    statuses: [200, 400, 404],
    isList: true,
  },
  'GET /projects/{id}/jobs': {
    query: { scope: jobStatuses, ref: 'string', ...paged },
    statuses: [200, 400, 401, 403, 404],
    answer: job,
    isList: true,
  },
  'GET /projects/{id}/jobs/{job_id}': { statuses: [200, 400, 401, 403, 404], answer: job },
  'POST /projects/{id}/jobs/{job_id}/retry': { body: {}, statuses: [201, 400, 401, 403, 404, 429], answer: job },
  'GET /projects/{id}/pipelines/{pipeline_id}/jobs': {
    query: { include_retried: 'boolean', scope: jobStatuses, ...paged },
    statuses: [200, 400, 401, 403, 404],
    answer: job,
    isList: true,
  },
  'GET /groups/{id}/runners': { query: runnersQuery, statuses: [200, 400, 403, 404], answer: runner },
  'GET /projects/{id}/runners': {
    query: { ...runnersQuery, scope: 'string' },
    statuses: [200, 400, 403, 404],
    answer: runner,
  },
  'GET /runners/{id}': {
    query: { include_projects: 'boolean' },
    statuses: [200, 400, 401, 403, 404],
    answer: runnerDetails,
  },
  'PUT /runners/{id}': {
    body: {
      description: 'string',
      active: 'boolean',
      paused: 'boolean',
      tag_list: 'array',
      run_untagged: 'boolean',
      locked: 'boolean',
      access_level: 'string',
      maximum_timeout: 'integer',
      maintenance_note: 'string',
    },
    statuses: [200, 400, 401, 403, 404],
    answer: runnerDetails,
  },
  'DELETE /runners/{id}': { statuses: [200, 400, 401, 403, 404, 412], answer: runner },
  'GET /runners/{id}/jobs': {
    query: {
      system_id: 'string',
      status: jobStatuses,
      order_by: ['id'],
      sort: ['asc', 'desc'],
      cursor: 'string',
      ...paged,
    },
    statuses: [200, 400, 401, 403, 404],
    answer: job,
  },
  'GET /projects/{id}/hooks': { query: paged, statuses: [200, 400, 404], isList: true },
  'POST /projects/{id}/hooks': { body: hook, required: ['url'], statuses: [201, 400, 404, 422] },
  'PUT /projects/{id}/hooks/{hook_id}': { body: hook, statuses: [200, 400, 404, 422] },
  'POST /projects/{id}/hooks/{hook_id}/test/{trigger}': { statuses: [201, 400, 403, 404, 422, 429] },
};

/** The operations that davit calls, too, and that were not read in the description. */
export const unread: readonly string[] = [
  'GET /groups/{id}',
  'GET /projects/{id}',
  'POST /user/runners',
  'GET /groups/{id}/hooks',
  'POST /groups/{id}/hooks',
  'PUT /groups/{id}/hooks/{hook_id}',
  'POST /groups/{id}/hooks/{hook_id}/test/{trigger}',
];

/** What a job has beyond the described fields: not read. */
export const unreadFields: readonly string[] = ['artifacts', 'runner', 'archived', 'tag_list'];

import * as z from '../../../core/zod.ts';
import { type Answer, json, type Routes } from '../serve-routes.ts';
import type { BuildkiteState } from './buildkite-state.ts';
import { refuse } from './route.ts';

const JobIds = z.object({
  job_uuids: z.array(z.string()).check(z.minLength(1), z.maxLength(1000)),
  reservation_expiry_seconds: z.withDefault(z.int().check(z.gte(1), z.lte(3600)), 900),
  token_lifetime_seconds: z.withDefault(z.int().check(z.gte(1), z.lte(3600)), 900),
});
const Stack = z.object({
  key: z.string().check(z.regex(/^[\w-]{1,80}$/)),
  type: z.enum(['kubernetes', 'elastic', 'custom']),
  queue_key: z.string(),
  metadata: z.record(z.string(), z.string()),
});
const Finish = z.object({ exit_status: z.optional(z.int()), detail: z.string().check(z.maxLength(4096)) });
const Notifications = z.object({
  notifications: z.array(z.object({ job_uuid: z.string(), detail: z.string() })).check(z.maxLength(1000)),
});

/**
 * The stacks API, from its documentation and its Go client, as far as davit uses it.
 *
 * @see https://github.com/buildkite/docs/blob/06eab4b8/pages/apis/agent_api/stacks.md, github.com/buildkite/stacksapi 649b3a0
 */
export function stackRoutes(state: BuildkiteState, queue: string): Routes {
  /** "You must use this API to register a stack `key` before using any of the following APIs." */
  const known = (key: string, answer: () => Answer): Answer =>
    state.stacks.has(key) ? answer() : refuse(404, `No stack found with key: ${key}`);

  return {
    'POST /stacks/register': (_parts, { body }) => {
      const { key, type, queue_key, metadata } = Stack.parse(body);
      const isNew = !state.stacks.has(key);
      state.stacks.add(key);
      return json(isNew ? 201 : 200, {
        id: key,
        key,
        type,
        cluster_queue_key: queue_key,
        metadata,
        state: 'connected',
      });
    },
    'GET /stacks/{key}/scheduled-jobs': ({ key = '' }, { query }) =>
      known(key, () => {
        if (query.get('queue_key') !== queue) return refuse(404, 'Cluster queue not found');
        // "Ordered by scheduled_at (oldest first)"; "jobs that have been reserved will not show up".
        const waiting = state.inState('scheduled');
        const from = Number(query.get('after') ?? 0);
        const limit = Number(query.get('limit') ?? 100);
        const hasNext = waiting.length > from + limit;
        return json(200, {
          jobs: waiting.slice(from, from + limit).map((job) => ({
            id: job.id,
            priority: 0,
            agent_query_rules: [`queue=${queue}`, ...job.rules],
            scheduled_at: new Date(job.scheduledAtEpochMs).toISOString(),
            pipeline: { slug: job.pipeline, uuid: `uuid-of-${job.pipeline}` },
            build: { number: job.buildNumber, branch: 'main', uuid: `build-${job.buildNumber}` },
            step: { key: job.step },
          })),
          page_info: { has_next_page: hasNext, end_cursor: hasNext ? `${from + limit}` : null },
          cluster_queue: { id: 'queue-id', dispatch_paused: false },
        });
      }),
    'PUT /stacks/{key}/scheduled-jobs/batch-reserve': ({ key = '' }, { body }) =>
      known(key, () => {
        const { job_uuids, reservation_expiry_seconds } = JobIds.parse(body);
        const reserved = job_uuids.filter((id) => state.reserve(key, id, reservation_expiry_seconds));
        return json(200, { reserved, not_reserved: job_uuids.filter((id) => !reserved.includes(id)) });
      }),
    'POST /stacks/{key}/job-acquisition-tokens': ({ key = '' }, { body }) =>
      known(key, () => {
        const { job_uuids, token_lifetime_seconds } = JobIds.parse(body);
        const issued = job_uuids.flatMap((id) => state.issue(key, id, token_lifetime_seconds) ?? []);
        return json(201, {
          job_acquisition_tokens: issued.map(({ jobId, token, expiresAtEpochMs }) => ({
            job_uuid: jobId,
            job_acquisition_token: token,
            expires_at: new Date(expiresAtEpochMs).toISOString(),
          })),
          not_issued: job_uuids.filter((id) => !issued.some(({ jobId }) => jobId === id)),
        });
      }),
    'POST /stacks/{key}/jobs/get-states': ({ key = '' }, { body }) =>
      known(key, () => {
        const found = JobIds.parse(body).job_uuids.flatMap((id) => state.jobs.get(id) ?? []);
        return json(200, { states: Object.fromEntries(found.map((job) => [job.id, state.settled(job).state])) });
      }),
    'POST /stacks/{key}/jobs/{id}/finish': ({ key = '', id = '' }, { body }) =>
      known(key, () => {
        if (!state.jobs.has(id)) return refuse(404, 'No job found');
        const isDone = state.finishByStack(id, Finish.parse(body).detail);
        return isDone ? json(200, {}) : refuse(422, 'The job has begun, or is over');
      }),
    'POST /stacks/{key}/notifications': ({ key = '' }, { body }) =>
      known(key, () => {
        const { notifications } = Notifications.parse(body);
        const errors = notifications.flatMap(({ job_uuid, detail }, index) => {
          const job = state.jobs.get(job_uuid);
          const isFine = job !== undefined && detail !== '' && detail.length <= 256 && job.notifications.length < 100;
          if (isFine) job.notifications.push(detail);
          return isFine ? [] : [{ error: 'detail is invalid', indexes: [index] }];
        });
        return json(200, { errors });
      }),
  };
}

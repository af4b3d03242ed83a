import * as z from '../../../core/zod.ts';
import { type Answer, json, type Routes } from '../serve-routes.ts';
import { type FakeJob, type GitlabState, isOver } from './gitlab-state.ts';
import { refuse } from './route.ts';

const Token = z.object({ token: z.string() });
const Update = z.object({ token: z.string(), state: z.optional(z.string()) });
const Trace = z.object({ token: z.string(), text: z.string() });

/** How the server gives out jobs. */
export interface HandOut {
  /** Called between its look at `paused` and the hand-out of a job to a runner, which waits for it. */
  between: () => Promise<void>;
}

/**
 * The routes for runners.
 *
 * `post '/request'` of lib/api/ci/runner.rb looks at `active?` first, and runs `RegisterJobService` afterwards, which does
 * not look again: so a runner that was paused meanwhile gets a job. `authenticate_job!` of lib/api/ci/helpers/runner.rb
 * answers 403 with `Job-Status` for a job that does not run any more.
 */
export function runnerRoutes(state: GitlabState, handOut: HandOut): Routes {
  return {
    'POST /jobs/request': async (_parts, { body }) => {
      const { token } = Token.parse(body);
      const runner = [...state.runners.values()].find((each) => each.token === token);
      if (runner === undefined) return refuse(403, '403 Forbidden');
      if (runner.paused) return { status: 204 };
      await handOut.between();
      // The runner is in the memory of the request: it may be deleted meanwhile.
      const job = state.assign(runner);
      return job === undefined ? { status: 204 } : json(201, payloadOf(job));
    },
    'PUT /jobs/{id}': ({ id }, { body }) => {
      const { token, state: said = 'running' } = Update.parse(body);
      return withJob(state, id, token, (job) => {
        if (said === 'success' || said === 'failed') state.set(job, job.status === 'canceling' ? 'canceled' : said);
        return json(200, '200', { 'job-status': job.status });
      });
    },
    'PATCH /jobs/{id}/trace': ({ id }, { body }) => {
      const { token, text } = Trace.parse(body);
      return withJob(state, id, token, (job) => {
        job.log += text;
        return json(202, '202', { 'job-status': job.status });
      });
    },
  };
}

/** The parts that a runner needs. @see lib/api/entities/ci/job_request/response.rb */
function payloadOf({ id, token, name, project, script }: FakeJob) {
  return {
    id,
    token,
    job_info: { id, name, stage: 'test', project_name: project },
    steps: [{ name: 'script', script: [script], timeout: 3600, when: 'on_success', allow_failure: false }],
    variables: [{ key: 'CI_JOB_ID', value: `${id}`, public: true }],
  };
}

function withJob(state: GitlabState, id: string | undefined, token: string, answer: (job: FakeJob) => Answer): Answer {
  const job = state.jobs.find((each) => `${each.id}` === id && each.token === token);
  if (job === undefined) return refuse(403, '403 Forbidden');
  if (isOver(job)) return json(403, { message: '403 Forbidden - Job is not running' }, { 'job-status': job.status });
  return answer(job);
}

import * as z from '../../../core/zod.ts';
import { type Answer, type Asked, json, type Routes } from '../serve-routes.ts';
import type { BuildkiteState, FakeAgent, FakeJob } from './buildkite-state.ts';
import { refuse, tokenIn } from './route.ts';

const Registering = z.object({ name: z.string(), meta_data: z.nullish(z.array(z.string())) });
const Finishing = z.object({ exit_status: z.string() });

/**
 * The agent API, from the source of Buildkite's agent v3.78.0, as far as an agent uses it that acquires one job, or is given
 * one after the other: `api/` has the requests and answers, `core/client.go` what it does after each status.
 *
 * @param url where the agents connect to
 */
export function agentRoutes(state: BuildkiteState, url: () => string): Routes {
  const as = (asked: Asked, answer: (agent: FakeAgent) => Answer): Answer => {
    const agent = state.agents.get(tokenIn(asked));
    return agent === undefined ? refuse(401, 'Invalid access token') : answer(agent);
  };
  const withJob = (asked: Asked, id: string, answer: (job: FakeJob) => Answer): Answer => {
    const token = tokenIn(asked);
    const job = state.jobs.get(id);
    const isOfJob = job !== undefined && (state.agents.get(token)?.jobId === id || token === `job-token-${id}`);
    return isOfJob ? answer(job) : refuse(401, 'Invalid access token');
  };

  return {
    // api/agents.go: Register. A token that is not accepted stops the agent (core/client.go: 401).
    'POST /register': (_parts, asked) => {
      const { name, meta_data } = Registering.parse(asked.body);
      const agent = state.register(tokenIn(asked), { name, tags: meta_data ?? [] });
      if (agent === undefined) return refuse(401, 'Invalid agent registration token');
      return json(200, {
        id: agent.id,
        name,
        access_token: agent.accessToken,
        endpoint: url(),
        ping_interval: 1,
        job_status_interval: 1,
        heartbeat_interval: 5,
        meta_data: agent.tags,
      });
    },
    'POST /connect': (_parts, asked) =>
      as(asked, (agent) => {
        agent.isConnected = true;
        return json(200, {});
      }),
    'POST /disconnect': (_parts, asked) =>
      as(asked, (agent) => {
        agent.isConnected = false;
        return json(200, {});
      }),
    // api/heartbeats.go: the answer is the request, with the time.
    'POST /heartbeat': (_parts, asked) =>
      as(asked, () => json(200, { ...(asked.body as object), received_at: new Date().toISOString() })),
    // api/pings.go: an agent asks for its next job, which it then accepts.
    'GET /ping': (_parts, asked) =>
      as(asked, (agent) => {
        const job = state.assign(agent);
        return json(200, job === undefined ? {} : { job: { id: job.id, state: 'assigned' } });
      }),
    // api/jobs.go: AcquireJob, AcceptJob. 422: the job is taken, cancelled or over, and the agent exits with 27.
    'PUT /jobs/{id}/(?:acquire|accept)': ({ id = '' }, asked) =>
      as(asked, (agent) => {
        const job = state.acquire(agent, id);
        if (job === undefined) return refuse(422, 'The job cannot be acquired');
        return json(200, {
          id: job.id,
          state: job.state,
          endpoint: url(),
          token: `job-token-${job.id}`,
          chunks_max_size_bytes: 102_400,
          log_max_size_bytes: 1_048_576,
          env: environmentOf(job),
        });
      }),
    'PUT /jobs/{id}/start': ({ id = '' }, asked) =>
      withJob(asked, id, (job) => (state.start(job) ? json(200, {}) : refuse(422, 'The job cannot be started'))),
    // agent/job_runner.go: asks each job_status_interval, and stops a job that is canceling or canceled.
    'GET /jobs/{id}': ({ id = '' }, asked) => withJob(asked, id, ({ state: now }) => json(200, { state: now })),
    // api/chunks.go: the content is gzipped, which the server undoes.
    'POST /jobs/{id}/chunks': ({ id = '' }, asked) =>
      withJob(asked, id, (job) => {
        job.log += String(asked.body);
        return json(201, {});
      }),
    'POST /jobs/{id}/header_times': ({ id = '' }, asked) => withJob(asked, id, () => json(200, {})),
    'PUT /jobs/{id}/finish': ({ id = '' }, asked) =>
      withJob(asked, id, (job) =>
        state.finish(job, Finishing.parse(asked.body).exit_status) ? json(200, {}) : refuse(422, 'The job is over'),
      ),
  };
}

/** The variables that the agent's bootstrap needs to run a command without a checkout. */
function environmentOf({ id, command, pipeline, buildNumber, step, acquiredBy }: FakeJob): Record<string, string> {
  return {
    BUILDKITE: 'true',
    CI: 'true',
    BUILDKITE_JOB_ID: id,
    BUILDKITE_BUILD_ID: `build-${buildNumber}`,
    BUILDKITE_BUILD_NUMBER: `${buildNumber}`,
    BUILDKITE_COMMAND: command,
    BUILDKITE_SCRIPT_PATH: command,
    // clicommand/bootstrap.go requires a repository, and the phases leave its checkout out.
    BUILDKITE_REPO: 'none',
    BUILDKITE_BOOTSTRAP_PHASES: 'command',
    BUILDKITE_BRANCH: 'main',
    BUILDKITE_COMMIT: 'HEAD',
    BUILDKITE_ORGANIZATION_SLUG: 'acme',
    BUILDKITE_PIPELINE_SLUG: pipeline,
    BUILDKITE_PIPELINE_PROVIDER: 'private',
    BUILDKITE_PROJECT_PROVIDER: 'private',
    BUILDKITE_AGENT_NAME: acquiredBy.at(-1) || 'agent',
    BUILDKITE_STEP_KEY: step ?? '',
  };
}

import * as z from '../../../core/zod.ts';
import { type Answer, type Asked, json, type Routes } from '../serve-routes.ts';
import type { FakeRunner, ForgejoState } from './forgejo-state.ts';

const Declaring = z.object({ labels: z.array(z.string()) });
const Fetching = z.object({ handle: z.optional(z.string()) });
const results = { RESULT_SUCCESS: 'success', RESULT_FAILURE: 'failure', RESULT_CANCELLED: 'cancelled' } as const;
const Updating = z.object({
  state: z.object({
    id: z.string(),
    result: z.optional(z.enum(['RESULT_SUCCESS', 'RESULT_FAILURE', 'RESULT_CANCELLED'])),
  }),
});
const Logging = z.object({ rows: z.array(z.object({ content: z.string() })) });

const service = '/api/actions/runner.v1.RunnerService';

/**
 * The service of Forgejo's runners, in the JSON of the Connect protocol, from Forgejo's source:
 * `routers/api/actions/runner/runner.go`, and `interceptor.go` for who is let in.
 */
export function runnerRoutes(state: ForgejoState): Routes {
  const as = (asked: Asked, answer: (runner: FakeRunner) => Answer): Answer => {
    const { 'x-runner-uuid': uuid, 'x-runner-token': token } = asked.headers;
    const runner = state.runnerBy(String(uuid), String(token));
    return runner === undefined
      ? json(401, { code: 'unauthenticated', message: 'unregistered runner' })
      : answer(runner);
  };

  return {
    [`POST ${service}/Declare`]: (_parts, asked) =>
      as(asked, (runner) => {
        runner.labels = Declaring.parse(asked.body).labels;
        return json(200, { runner: { id: `${runner.id}`, name: runner.name } });
      }),
    // FetchSingleTask: the job of the handle, and no other one.
    [`POST ${service}/FetchSingleTask`]: (_parts, asked) =>
      as(asked, (runner) => {
        const { handle } = Fetching.parse(asked.body);
        const job = state.take(runner, handle === '' ? undefined : handle);
        return json(200, {
          tasksVersion: '1',
          ...(job === undefined ? {} : { task: { id: `${job.taskId}`, command: job.command } }),
        });
      }),
    // UpdateTask: an ephemeral runner goes with the final result.
    [`POST ${service}/UpdateTask`]: (_parts, asked) =>
      as(asked, (runner) => {
        const { result } = Updating.parse(asked.body).state;
        state.noteActive(runner);
        if (result !== undefined) state.finish(runner, results[result]);
        return json(200, { state: { id: Updating.parse(asked.body).state.id, result: 'RESULT_UNSPECIFIED' } });
      }),
    [`POST ${service}/UpdateLog`]: (_parts, asked) =>
      as(asked, (runner) => {
        state.noteActive(runner);
        const rows = Logging.parse(asked.body).rows.map(({ content }) => content);
        if (runner.job !== undefined) runner.job.log += rows.join('');
        return json(200, { ackIndex: `${rows.length}` });
      }),
  };
}

import * as z from 'zod';
import type { GithubRunner, GithubState } from './github-state.ts';
import type { Answer, Asked, Route } from './route.ts';

const JobEnd = z.object({ succeeded: z.boolean(), output: z.string().optional() });
const unknownRunner: Answer = { status: 401, body: { message: 'the runner registration has been deleted' } };

/**
 * The routes that a runner calls with its JIT configuration. GitHub does not describe them, because its runner has a
 * protocol of its own.
 */
export function runnerRoutes(state: GithubState): readonly Route[] {
  return [
    ['POST', /^\/_runner\/(\d+)\/([^/]+)\/job$/, askForJob],
    ['POST', /^\/_runner\/(\d+)\/([^/]+)\/complete$/, completeJob],
  ];

  function runnerBySecret([id, secret]: string[]): GithubRunner | undefined {
    const runner = state.runners.get(Number(id));
    return runner?.secret === secret ? runner : undefined;
  }

  function askForJob({ parameters }: Asked): Answer {
    const runner = runnerBySecret(parameters);
    if (runner === undefined) return unknownRunner;
    return { status: 200, body: { steps: state.assign(runner)?.steps ?? null } };
  }

  function completeJob({ parameters, body }: Asked): Answer {
    const runner = runnerBySecret(parameters);
    if (runner === undefined) return unknownRunner;
    const { succeeded, output } = JobEnd.parse(body);
    state.complete(runner, succeeded, output);
    return { status: 200, body: {} };
  }
}

import type { Github } from './github.ts';
import { createGithubApi, type GithubOptions } from './github-api.ts';
import { githubJobs } from './github-jobs.ts';
import { githubRunners } from './github-runners.ts';
import { githubWebhooks } from './github-webhooks.ts';

/** Acts in a GitHub or a GitHub Enterprise Server. */
export function createGithub(options: GithubOptions): Github {
  const api = createGithubApi(options);
  return {
    // GitHub decides in the delete itself: it refuses to remove a busy runner.
    settleMs: 0,
    usage: api.usage,
    stopAssigning: async () => undefined,
    ...githubRunners(api),
    ...githubJobs(api),
    ...githubWebhooks(api),
  };
}

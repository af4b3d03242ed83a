import { present } from '../../../../core/present.ts';
import { type LocalGithub, startGithub } from '../../../../local/github/start-github.ts';
import { type JobEvents, keepJobEvents } from './job-events.ts';
import { type DescribedGithub, openApiCheck } from './openapi-check.ts';

/** A fake GitHub that checks every exchange against GitHub's own description. */
export interface CheckedGithub extends LocalGithub {
  /** Every violation of GitHub's description. */
  problems: string[];
  jobEvents: JobEvents['events'];
}

/**
 * Starts a fake GitHub on the loopback interface, with these organizations, checked against this product's description.
 */
export async function startCheckedGithub(
  organizations: readonly string[],
  described: DescribedGithub = 'api.github.com',
): Promise<CheckedGithub> {
  const check = openApiCheck(described);
  const problems: string[] = [];
  const { onJob, events: jobEvents } = keepJobEvents();
  const github = await startGithub({
    organizations,
    ...present({ onJob }),
    onExchange: (exchange) => problems.push(...check(exchange)),
    onFailure: (error) => problems.push(String(error)),
  });
  return Object.assign(github, { problems, jobEvents });
}

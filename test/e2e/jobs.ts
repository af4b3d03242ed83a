import type { Registration } from '../../local/demo/ci-server.ts';
import type { DeliveredJob } from '../../local/github/github-webhooks.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** A GitHub job, and its launch. */
export interface Job extends DeliveredJob {
  launchId: string;
  agentName: string;
}

const linuxLabels = ['self-hosted', 'linux', 'x64', 'k8s'];
const connectWithinMs = 90_000;
// The repository and the attempt of the real payload behind the jobs.
const repositoryId = 186_853_002;
// All ids have four digits, so the order of their characters is that of the jobs.
let lastJobId = 1000;

/**
 * Makes a job with a new id, which runs on its own launch's agent.
 *
 * @param labels @default those of davit.yaml's first profile
 */
export function newJob(labels: readonly string[] = linuxLabels): Job {
  lastJobId += 1;
  const launchId = `github-${repositoryId}-${lastJobId}-1`;
  const agentName = `davit-${launchId}`;
  return { id: lastJobId, labels, launchId, agentName, runner: { id: 1, name: agentName } };
}

/** Repeats a request until its answer is not 5xx, as callers do. @returns all answers, the good one last */
export async function untilTaken<Answer extends { status: number }>(
  send: () => Promise<Answer>,
): Promise<[...Answer[], Answer]> {
  const answer = await send();
  return answer.status < 500 ? [answer] : [answer, ...(await untilTaken(send))];
}

/** Waits until a job's agent has connected and registered with the CI server. */
export function registration(
  { ci }: Pick<TestRuntime, 'ci'>,
  { agentName }: Pick<Job, 'agentName'>,
): Promise<Registration> {
  return ci.registrationOf(agentName, AbortSignal.timeout(connectWithinMs));
}

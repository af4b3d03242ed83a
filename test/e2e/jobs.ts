import * as z from 'zod';
import type { Registration } from '../../local/demo/ci-server.ts';
import type { DeliveryAnswer, GithubJob } from '../../local/demo/github-server.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** A job of GitHub's, and the launch that it asks for. */
export interface Job extends GithubJob {
  launchId: string;
  agentName: string;
}

const linuxLabels = ['self-hosted', 'linux', 'x64', 'k8s'];
const connectWithinMs = 40_000;
// The repository and the attempt are those of the real payload that the jobs are made of.
const repositoryId = 186_853_002;
let lastJobId = 0;

/**
 * Makes a job that there was none of before.
 *
 * @param labels @default those of davit.yaml's first profile
 */
export function newJob(labels: readonly string[] = linuxLabels): Job {
  lastJobId += 1;
  const launchId = `github-${repositoryId}-${lastJobId}-1`;
  return { id: lastJobId, labels, launchId, agentName: `davit-${launchId}` };
}

/** Delivers a job's webhook until it is taken, as a person does who sees that a delivery failed. */
export async function deliver(
  davit: TestRuntime,
  job: Job,
  action: 'queued' | 'completed',
): Promise<[...failed: DeliveryAnswer[], DeliveryAnswer]> {
  const answer = await davit.github.deliver(job, action);
  return answer.status < 500 ? [answer] : [answer, ...(await deliver(davit, job, action))];
}

/** Waits until a job's agent has connected and registered with the CI server. */
export function registration({ ci }: TestRuntime, { agentName }: Pick<Job, 'agentName'>): Promise<Registration> {
  return ci.registrationOf(agentName, AbortSignal.timeout(connectWithinMs));
}

/** What an HTTP answer of davit's says that tests look at. */
export const Answer = z.looseObject({
  launchId: z.string().optional(),
  status: z.union([z.string(), z.number()]).optional(),
  duplicate: z.boolean().optional(),
});

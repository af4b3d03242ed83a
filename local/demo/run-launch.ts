import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { ErrorCode } from '../../core/errors/error-codes.ts';
import { LaunchStatus } from '../../core/launch/launch-record.ts';
import type { GithubJob } from '../github/github-state.ts';
import type { CiServer, Registration } from './ci-server.ts';
import type { DemoGithub } from './demo-github.ts';
import type { Screen } from './screen.ts';

/** The dependencies of running one launch. */
export interface RunLaunchDeps {
  github: DemoGithub;
  ci: CiServer;
  screen: Screen;
  davitUrl: string;
  /** The bearer token for davit's `/launches`. */
  launchesToken: string;
  /** Aborts every wait. */
  signal: AbortSignal;
}

/** A job that the demo queues. */
export type DemoJob = Parameters<DemoGithub['queue']>[0];

/** The result of one launch, for the summary. */
export interface LaunchReport {
  launchId: string;
  /** The agent's registration with the CI server. Absent if the agent never connected. */
  registration?: Registration;
  /** The time from the webhook to the connected agent, in milliseconds. */
  readyMs?: number;
  /** Why the launch did not go as expected. Absent if it did. */
  problem?: string;
}

const Accepted = z.object({ launchId: z.string(), agentName: z.string() });
type Accepted = z.infer<typeof Accepted>;
const Launch = z.object({
  status: LaunchStatus,
  signal: z.object({ code: z.string(), detail: z.string(), forSeconds: z.number() }).optional(),
  ending: z.object({ code: z.string(), message: z.string(), advice: z.string().optional() }).optional(),
});
type Launch = z.infer<typeof Launch>;

/** Queues a job and takes it through its whole life. With `keep`, stops once the job runs. */
export async function runLaunch(deps: RunLaunchDeps, job: DemoJob, keep: boolean): Promise<LaunchReport> {
  const { github, screen } = deps;
  const { launchId, agentName, queued } = await queue(deps, job);
  const queuedMs = performance.now();
  const connected = new AbortController();
  const beforeThat = { ...deps, signal: AbortSignal.any([deps.signal, connected.signal]) };
  const registration = await Promise.race([
    deps.ci.registrationOf(agentName, deps.signal),
    untilOver(beforeThat, launchId).then((launch) =>
      Promise.reject(new Error(launch.ending?.message ?? launch.status)),
    ),
  ]);
  connected.abort();
  const readyMs = performance.now() - queuedMs;
  const report = { launchId, registration, readyMs };

  await github.answered(queued, keep ? 'in_progress' : 'completed');
  if (keep) return report;
  const { conclusion } = queued;
  if (conclusion !== 'success') return { ...report, problem: `job ${queued.id} ended as ${conclusion}` };
  const { status } = await untilOver(deps, launchId);
  screen.line('davit', `${launchId} is ${status}`, status === 'terminated' ? 'good' : 'bad');
  return { ...report, ...(status === 'terminated' ? {} : { problem: `it ended as ${status}` }) };
}

/** Queues a job that must fail, and waits for the failure. */
export async function runFailure(deps: RunLaunchDeps, job: DemoJob, failsWith: ErrorCode): Promise<LaunchReport> {
  const { launchId } = await queue(deps, job);
  const { status, ending } = await untilOver(deps, launchId);
  deps.screen.line('davit', `${launchId} is ${status}`, 'bad');
  if (ending !== undefined) {
    deps.screen.line('davit', ending.message, 'bad');
    deps.screen.line('davit', `what to do: ${ending.advice ?? 'see docs/errors.md'}`);
  }
  const expected = status === 'failed' && ending?.code === failsWith;
  return { launchId, ...(expected ? {} : { problem: `expected ${failsWith}, found ${ending?.code ?? status}` }) };
}

async function queue({ github }: RunLaunchDeps, job: DemoJob): Promise<Accepted & { queued: GithubJob }> {
  const queued = github.queue(job);
  const { status, body } = await github.answered(queued, 'queued');
  const accepted = Accepted.safeParse(body);
  if (status !== 202 || !accepted.success)
    throw new Error(`the webhook endpoint answered ${status} ${JSON.stringify(body)}`);
  return { ...accepted.data, queued };
}

const lookMs = 200;

/** Waits until a launch has failed or is terminated. Shows each reason why it waits. */
async function untilOver(deps: RunLaunchDeps, launchId: string): Promise<Launch> {
  let told = '';
  for (;;) {
    const answer = await fetch(`${deps.davitUrl}/launches/${launchId}`, {
      headers: { authorization: `Bearer ${deps.launchesToken}` },
      signal: deps.signal,
    });
    const launch = Launch.parse(await answer.json());
    if (launch.status === 'failed' || launch.status === 'terminated') return launch;
    const waitsFor = launch.signal === undefined ? '' : `${launch.signal.code}: ${launch.signal.detail}`;
    if (waitsFor !== told) deps.screen.line('davit', `${launchId} waits: ${waitsFor}`);
    told = waitsFor;
    await sleep(lookMs, undefined, { signal: deps.signal });
  }
}

import type { CompletedToken } from '../../../core/launch/completed-token.ts';
import { sleepUnlessAborted } from '../../../logic/steps/sleep.ts';
import { type Job, newJob } from '../../e2e/jobs.ts';
import { profileNames } from '../on-cluster/config.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { Agents } from './agents.ts';
import type { World } from './world.ts';

/** A CI server's view of one job. */
export interface JobRun {
  launchId: string;
  /** Whether its agent runs in a container. */
  isReal: boolean;
  /** Whether the job was cancelled at a random moment. */
  isCancelled: boolean;
  /** Whether its agent got its token before the job was over. */
  hasConnected: boolean;
  /** The violations of a CI server's expectations. */
  problems: string[];
}

const retryMs = 200;
/** davit is down for as long as a busy machine takes to start it, again and again. */
const usualPatienceMs = 600_000;
const realShare = 0.05;
const cancelledShare = 0.15;
const longestCancelMs = 4000;
const longestWorkMs = 2000;
const lookMs = 2000;
const connectWithinMs = 600_000;
/** kubelet, the EndpointSlices' controller and kube-proxy back off further with each death of the API server. */
const dialWithinMs = 600_000;

/**
 * Takes a job through its whole life, as GitHub and an agent do. It is queued, connects, runs a step at the token's
 * address if its agent can run one, and completes. Some jobs are cancelled at a random moment.
 *
 * @param random from 0 to 1
 * @throws the reason why the run was aborted
 */
export async function runLaunch(world: World, agents: Agents, random: () => number): Promise<JobRun> {
  const isReal = random() < realShare;
  const isCancelled = random() < cancelledShare;
  const workMs = random() * longestWorkMs;
  const waitMs = isCancelled ? Math.round(random() * longestCancelMs) : connectWithinMs;
  const job = newJob([isReal ? profileNames.agent : profileNames.kwok]);
  const { launchId } = job;
  const run: JobRun = { launchId, isReal, isCancelled, hasConnected: false, problems: [] };
  try {
    await deliver(world, job, 'queued');
    const outcome = await untilToldOrEnded(world, agents, job, waitMs);
    if (outcome === undefined && !isCancelled) run.problems.push(`has neither connected nor failed in ${waitMs} ms`);
    run.hasConnected = outcome !== undefined && outcome !== 'ended';
    if (isReal && outcome !== undefined && outcome !== 'ended') await runStep(world, outcome);
    if (run.hasConnected) await sleepUnlessAborted(workMs, world.over);
  } catch (error) {
    noteProblem(world, run, error);
  }
  try {
    await deliver(world, job, 'completed');
  } catch (error) {
    noteProblem(world, run, error);
  }
  return run;
}

function noteProblem(world: World, run: JobRun, error: unknown): void {
  world.over.throwIfAborted();
  run.problems.push(error instanceof Error ? error.message : String(error));
}

/** Sends a webhook until davit accepts it. @throws Error when davit does not */
export async function deliver(world: World, job: Job, action: 'queued' | 'completed'): Promise<void> {
  const answer = await persistently(world, `its webhook, ${action}, is taken`, async ({ github }) => {
    const { status, body } = await github.deliver(job, action);
    return status < 500 ? { status, body } : undefined;
  });
  if (answer.status >= 300) throw new Error(`its webhook, ${action}, is answered ${JSON.stringify(answer)}`);
}

/** @returns the token, or that the launch has ended by itself; undefined when it takes longer */
async function untilToldOrEnded(
  world: World,
  agents: Agents,
  { launchId }: Job,
  forMs: number,
): Promise<CompletedToken | 'ended' | undefined> {
  const done = new AbortController();
  const waiting = AbortSignal.any([done.signal, world.over, AbortSignal.timeout(forMs)]);
  const first = await Promise.race([agents.told(launchId, waiting), untilEnded(world, launchId, waiting)]);
  done.abort();
  return first;
}

async function untilEnded(world: World, launchId: string, signal: AbortSignal): Promise<'ended' | undefined> {
  for (;;) {
    await sleepUnlessAborted(lookMs, signal);
    if (signal.aborted) return undefined;
    const { ending } = await persistently(world, 'it is shown', ({ launches }) => launches.show(launchId));
    if (ending !== undefined) return 'ended';
  }
}

/** Connects to a token's address and asks for the agent's name. @throws Error when another agent answers */
async function runStep(world: World, token: CompletedToken): Promise<void> {
  const { agentName } = token;
  const address = `${token.host}:${token.port}`;
  const step = { run: ['sh', '-c', 'echo $DAVIT_AGENT_NAME'] };
  const run = () => world.ci.run(token, step);
  const { output } = await persistently(world, `${address} answers`, run, dialWithinMs);
  if (output.trim() !== agentName) throw new Error(`at ${address} is "${output.trim()}"`);
}

/**
 * Makes a call until it succeeds, as CI servers and people do, because its server may be killed at any moment.
 *
 * @param what the awaited fact, for the error: "its webhook is taken"
 * @param call returns undefined to be called again
 * @param patienceMs the time limit
 * @throws the reason why the run was aborted
 * @throws Error when it does not succeed in time, with the last attempt's error as its cause
 */
async function persistently<Result>(
  world: Pick<World, 'davit' | 'over'>,
  what: string,
  call: (davit: LiveDavit) => Promise<Result | undefined>,
  patienceMs = usualPatienceMs,
): Promise<Result> {
  const deadlineMs = performance.now() + patienceMs;
  let cause: unknown;
  while (performance.now() < deadlineMs) {
    world.over.throwIfAborted();
    try {
      const result = await call(await world.davit());
      if (result !== undefined) return result;
    } catch (error) {
      cause = error;
    }
    await sleepUnlessAborted(retryMs, world.over);
  }
  throw new Error(`after ${patienceMs / 1000} s, still not true: ${what} (${String(cause)})`, { cause });
}

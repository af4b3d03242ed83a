import { PendingError, TerminalError } from '../domain/errors.ts';
import { isLive } from '../domain/launch-record.ts';
import { LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import { awaitAgentMs } from '../manifest.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import type { Launches } from '../ports/launches.ts';
import { heedPod } from '../steps/heed-pod.ts';
import type { HeedDeps } from '../steps/heed-verdicts.ts';
import { freshSince, observationMs, withinDeadline } from '../steps/within-deadline.ts';
import * as z from '../zod.ts';

/** The plan, and what the launch has so far. */
export const AwaitAgentInput = z.extend(LaunchPlan, {
  nodePort: z.optional(LaunchState.shape.nodePort),
  pod: LaunchState.shape.pod,
  placement: LaunchState.shape.placement,
  token: LaunchState.shape.token,
});
/** Becomes `$.agent`. */
export const AwaitAgentOutput = LaunchState.shape.agent;

/** What AwaitAgent needs. */
export interface AwaitAgentDeps extends HeedDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  /** Resolves after the time, or at once when the signal is aborted. */
  sleepMs: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Input = z.infer<typeof AwaitAgentInput>;

const lookMs = 500;
const unheeded = 'its Pod is not looked at any more';

/**
 * Waits until the agent has connected, which the connect function writes into the launch's record, and judges the Pod
 * meanwhile. Read-only but for the signal in the launch's record.
 *
 * @throws PendingError ConnectPending; TransientError; TerminalError and RelaunchError as `judgePod` says;
 *   TerminalError LaunchOver, ConnectDeadlineExceeded
 */
export async function awaitAgent(deps: AwaitAgentDeps, input: Input): Promise<z.infer<typeof AwaitAgentOutput>> {
  const deadline = {
    step: 'AwaitAgent',
    sinceEpochMs: input.token.publishedAtEpochMs,
    seconds: input.deadlines.connectSeconds,
    code: 'ConnectDeadlineExceeded',
  } as const;

  return await withinDeadline(deadline, deps.nowEpochMs, async () => {
    const over = new AbortController();
    const forMs = observationMs(deadline, deps.nowEpochMs(), awaitAgentMs);
    const watched = watchPod(deps, input, forMs, over.signal);
    const connected = watchRecord(deps, input, forMs, over.signal);
    try {
      const connectedAtEpochMs = await Promise.race([connected, watched.then(() => connected)]);
      if (connectedAtEpochMs !== undefined) return { connectedAtEpochMs };
      const says = `the agent has not connected; its token says ${addressOf(input)}; ${await watched}`;
      throw new PendingError('ConnectPending', says, aboutOf(input));
    } finally {
      over.abort();
      await Promise.allSettled([watched, connected]);
    }
  });
}

function aboutOf({ launchId, agentName, cluster, namespace }: Input) {
  return { launchId, cluster, namespace, pod: agentName };
}

/** As its token says it. */
function addressOf({ expose, placement, nodePort, agentPort }: Input): string {
  const port = expose === 'nodePort' ? nodePort?.port : agentPort;
  return port === undefined ? placement.host : `${placement.host}:${port}`;
}

/** @returns when the agent connected; undefined when it has not by the end of the time */
async function watchRecord(
  deps: AwaitAgentDeps,
  input: Input,
  forMs: number,
  over: AbortSignal,
): Promise<number | undefined> {
  const endEpochMs = deps.nowEpochMs() + forMs;
  for (;;) {
    const record = await deps.launches.get(input.launchId);
    if (record?.connectedAtEpochMs !== undefined && isLive(record)) return record.connectedAtEpochMs;
    if (!isLive(record)) throw new TerminalError('LaunchOver', 'the launch was ended', aboutOf(input));
    if (over.aborted || deps.nowEpochMs() >= endEpochMs) return undefined;
    await deps.sleepMs(lookMs, over);
  }
}

/** @returns what the cluster said last, at the end of the time */
async function watchPod(deps: AwaitAgentDeps, input: Input, forMs: number, over: AbortSignal): Promise<string> {
  const { resourceVersion, placedAtEpochMs } = input.placement;
  const since = freshSince(resourceVersion, placedAtEpochMs, deps.nowEpochMs());
  try {
    const { pods, reports } = await deps.openCluster(input.cluster);
    const heeder = heedPod(deps, { pods, reports }, input, aboutOf(input));
    for await (const pod of pods.observe(input.namespace, input.agentName, { forMs, signal: over, ...since })) {
      await heeder.see(pod);
    }
    return over.aborted ? unheeded : (await heeder.conclude()).says;
  } catch (error) {
    // An agent may connect, do its work and end before its connection is looked for, or while the cluster cannot be
    // reached: that is no failure.
    const record = await deps.launches.get(input.launchId);
    if (record?.connectedAtEpochMs === undefined) throw error;
    return unheeded;
  }
}

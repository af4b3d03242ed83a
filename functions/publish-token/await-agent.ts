import { type ErrorSubject, PendingError, TerminalError } from '../../core/errors/errors.ts';
import { isCiTrouble, isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { connectPace } from '../../logic/steps/look.ts';
import { notePodState } from '../../logic/steps/note-pod-state.ts';
import { observePod } from '../../logic/steps/observe-pod.ts';
import { type OnClusterDeps, onClusterWithinDeadline } from '../../logic/steps/on-cluster.ts';
import { type MonitorDeps, PodMonitor } from '../../logic/steps/pod-monitor.ts';
import { freshSince, observationMs } from '../../logic/steps/within-deadline.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { Launches } from '../../ports/launches.ts';
import { connectDeadline } from './deadlines.ts';
import { addressOf, type PublishedLaunch } from './publish-token-input.ts';

/** The dependencies of waiting for an agent. */
export interface AwaitAgentDeps extends MonitorDeps, OnClusterDeps {
  launches: MonitorDeps['launches'] & OnClusterDeps['launches'] & Pick<Launches, 'notePodState'>;
  openCluster: OpenCluster;
  /** Resolves after the time, or at once when the signal is aborted. */
  sleepMs: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How often a look reads the launch's record. */
export const recordIntervalMs = 500;
const ignored = 'its Pod no longer matters';

/**
 * Waits until the agent has connected, which the connect function writes into the launch's record, and judges the Pod
 * meanwhile. Writes only the signal and the Pod's state in the launch's record.
 *
 * @throws PendingError ConnectPending; TransientError, ClusterAwayError; TerminalError and RelaunchError as `judgePod` says;
 *   TerminalError LaunchOver, ConnectDeadlineExceeded
 */
export async function awaitAgent(deps: AwaitAgentDeps, input: PublishedLaunch): Promise<void> {
  const deadline = connectDeadline(input, input.token.publishedAtEpochMs);

  await onClusterWithinDeadline(deps, input, deadline, async () => {
    const over = new AbortController();
    const forMs = observationMs(deadline, connectPace, input, input.placement.lookPauseSeconds, deps.nowEpochMs());
    const seen: SeenPod = {};
    const watched = watchPod(deps, input, forMs, over.signal, seen);
    const connected = watchRecord(deps, input, over.signal, seen);
    const last = watched.then(() => {
      over.abort();
      return connected;
    });
    try {
      const { connectedAtEpochMs, signal } = await Promise.race([connected, last]);
      if (connectedAtEpochMs !== undefined) return;
      const said = signal !== undefined && isCiTrouble(signal) ? `; ${signal.code}: ${signal.detail}` : '';
      const { host, port } = addressOf(input);
      const detail = `the agent has not connected; its token says ${host}:${port}; ${await watched}${said}`;
      throw new PendingError('ConnectPending', detail, aboutOf(input));
    } finally {
      over.abort();
      await Promise.allSettled([watched, connected]);
    }
  });
}

function aboutOf({ launchId, agentName, cluster, namespace }: PublishedLaunch): ErrorSubject {
  return { launchId, cluster, namespace, pod: agentName };
}

/** What the look has seen so far. */
interface SeenPod {
  monitor?: PodMonitor;
}

/** @returns when the agent connected; otherwise, at the end of the look, what keeps the launch waiting */
async function watchRecord(
  deps: AwaitAgentDeps,
  input: PublishedLaunch,
  over: AbortSignal,
  seen: SeenPod,
): Promise<Pick<LaunchRecord, 'connectedAtEpochMs' | 'signal'>> {
  for (;;) {
    const isLast = over.aborted;
    const record = await deps.launches.get(input.launchId);
    if (record?.connectedAtEpochMs !== undefined && isLive(record)) return record;
    if (!isLive(record)) throw new TerminalError('LaunchOver', 'the launch was ended', aboutOf(input));
    const lastSeen = async () => seen.monitor?.lastSeen();
    await notePodState(deps, input, input.token.publishedAtEpochMs, record, lastSeen);
    if (isLast) return record ?? {};
    await deps.sleepMs(recordIntervalMs, over);
  }
}

/** @returns the cluster's last words, at the end of the look or of a grace period that ends soon after */
async function watchPod(
  deps: AwaitAgentDeps,
  input: PublishedLaunch,
  forMs: number,
  over: AbortSignal,
  seen: SeenPod,
): Promise<string> {
  const { resourceVersion, placedAtEpochMs } = input.placement;
  const since = freshSince(resourceVersion, placedAtEpochMs, deps.nowEpochMs());
  try {
    const [{ pods, reports }, record] = await Promise.all([
      deps.openCluster(input.cluster),
      deps.launches.get(input.launchId),
    ]);
    const monitor = new PodMonitor(deps, { pods, reports }, input, aboutOf(input), record?.signal);
    seen.monitor = monitor;
    const look = { forMs, signal: over, ...since };
    const { conclusion } = await observePod({ ...deps, pods, monitor }, input, look, async () => undefined);
    return conclusion?.detail ?? ignored;
  } catch (error) {
    // An agent may connect, do its work and end before davit looks for its connection, or while davit cannot reach the
    // cluster. That is no failure.
    const record = await deps.launches.get(input.launchId);
    if (record?.connectedAtEpochMs === undefined) throw error;
    return ignored;
  }
}

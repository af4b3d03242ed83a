import { maskJwts } from '../../core/errors/mask-secrets.ts';
import type { Stamps } from '../../core/launch/execution-state.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import { describePod } from '../../core/pod/describe-pod.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import type { Launches } from '../../ports/launches.ts';

interface NotePodStateDeps {
  launches: Pick<Launches, 'notePodState'>;
  nowEpochMs: () => number;
}

/** A usual agent needs less. So a usual launch writes nothing for people who watch it. */
const usualMs = 3000;
/** A Pod that changes all the time costs no more writes than this. */
const pauseMs = 5000;

/**
 * Records what a launch waits for, for people: how far it has come, and what its Pod says. Writes only for a launch that
 * waits for longer than usual, and only what is new.
 *
 * @param sinceEpochMs when the wait began
 * @param record the launch's record as it was read last
 * @param lastSeen returns the Pod as it was seen last; undefined when it is gone
 * @throws TransientError StoreUnavailable, and what `lastSeen` throws
 */
export async function notePodState(
  { launches, nowEpochMs }: NotePodStateDeps,
  launch: Pick<LaunchPlan, 'launchId' | 'agentName'> & Stamps,
  sinceEpochMs: number,
  record: Pick<LaunchRecord, 'podState' | 'timeline'> | undefined,
  lastSeen: () => Promise<PodView | undefined>,
): Promise<void> {
  const atEpochMs = nowEpochMs();
  const known = record?.podState;
  if (atEpochMs < Math.max(sinceEpochMs + usualMs, (known?.atEpochMs ?? 0) + pauseMs)) return;
  const pod = await lastSeen();
  if (pod === undefined) return;
  const detail = maskJwts(describePod(pod));
  const timeline = timelineOf(launch);
  const isReached = Object.keys(timeline).every((step) => Object.hasOwn(record?.timeline ?? {}, step));
  if (known?.detail === detail && isReached) return;
  await launches.notePodState(launch.launchId, { detail, atEpochMs }, launch.agentName, timeline);
}

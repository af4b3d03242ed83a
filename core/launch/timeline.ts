import { epochMsOf } from '../pod/event-times.ts';
import type { PodView } from '../pod/kubernetes-objects.ts';
import { present } from '../present.ts';
import * as z from '../zod.ts';
import type { PodTimes, Stamps } from './execution-state.ts';

/** Milliseconds since the generation began. Negative for a cluster whose clock is behind davit's. */
const sinceStartMs = z.optional(z.int());

/**
 * How far a generation of a launch has come: when it passed each step, counted from its plan's `startedAtEpochMs`. It is
 * part of the launch's record, so its names are short. A step that the generation has not reached is absent.
 */
export const Timeline = z.object({
  /** The Service existed. */
  serviceMs: sinceStartMs,
  /** davit knew its nodePort. */
  portMs: sinceStartMs,
  /** The Pod existed. */
  podMs: sinceStartMs,
  /** The scheduler chose a node: the cluster's time, in whole seconds. */
  scheduledMs: sinceStartMs,
  /** The last of the Pod's containers started: the cluster's time, in whole seconds. */
  containersMs: sinceStartMs,
  /** davit knew the agent's host. */
  hostMs: sinceStartMs,
  /** The token was published. */
  tokenMs: sinceStartMs,
});
export type Timeline = z.infer<typeof Timeline>;

/** Builds the timeline of a generation from the data of its execution. */
export function timelineOf({ startedAtEpochMs, service, nodePort, pod, placement, token }: Stamps): Timeline {
  const since = sinceEpochMs(startedAtEpochMs);
  return present({
    serviceMs: since(service?.createdAtEpochMs),
    portMs: since(nodePort?.readAtEpochMs),
    podMs: since(pod?.createdAtEpochMs),
    scheduledMs: since(placement?.seen?.scheduledAtEpochMs),
    containersMs: since(placement?.seen?.containersStartedAtEpochMs),
    hostMs: since(placement?.placedAtEpochMs),
    tokenMs: since(token?.publishedAtEpochMs),
  });
}

/** Adds the times of the generation's Pod to its timeline. */
export function withPodTimes(timeline: Timeline | undefined, startedAtEpochMs: number, times: PodTimes): Timeline {
  const since = sinceEpochMs(startedAtEpochMs);
  return {
    ...timeline,
    ...present({ scheduledMs: since(times.scheduledAtEpochMs), containersMs: since(times.containersStartedAtEpochMs) }),
  };
}

/** Reads when a Pod was scheduled, and when the last of its containers started, once all have. */
export function podTimesOf({ spec, status }: PodView): PodTimes {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const starts = (status?.containerStatuses ?? [])
    .map(({ state }) => epochMsOf(state?.running?.startedAt ?? state?.terminated?.startedAt))
    .filter((epochMs) => epochMs > 0);
  return present({
    scheduledAtEpochMs: (scheduled?.status === 'True' && epochMsOf(scheduled.lastTransitionTime)) || undefined,
    containersStartedAtEpochMs: starts.length === spec.containers.length ? Math.max(...starts) : undefined,
  });
}

function sinceEpochMs(startedAtEpochMs: number): (epochMs: number | undefined) => number | undefined {
  return (epochMs) => (epochMs === undefined ? undefined : epochMs - startedAtEpochMs);
}

import { Stamps } from '../core/launch/execution-state.ts';
import * as z from '../core/zod.ts';

/** The steps after a failure are not part of the order. */
const WithoutFailure = z.extend(Stamps, { failure: z.optional(z.undefined()) });

/**
 * Says when a step could start: when the previous step ended, or when the generation started.
 *
 * @param event the step's input, unchecked
 * @returns undefined for an event that is not the data of a launch without a failure
 */
export function stepStartedAtEpochMs(event: unknown): number | undefined {
  const stamps = WithoutFailure.safeParse(event).data;
  if (stamps === undefined) return undefined;
  const { startedAtEpochMs, service, nodePort, pod, placement, token } = stamps;
  return Math.max(
    startedAtEpochMs,
    service?.createdAtEpochMs ?? 0,
    nodePort?.readAtEpochMs ?? 0,
    pod?.createdAtEpochMs ?? 0,
    placement?.placedAtEpochMs ?? 0,
    token?.publishedAtEpochMs ?? 0,
  );
}

import { EpochMs } from '../domain/launch-state.ts';
import * as z from '../zod.ts';

const at = (name: string) => z.optional(z.object({ [name]: EpochMs }));

/** The moments at which the steps so far were done, as the launch's data has them. */
const Stamps = z.object({
  startedAtEpochMs: EpochMs,
  service: at('createdAtEpochMs'),
  nodePort: at('readAtEpochMs'),
  pod: at('createdAtEpochMs'),
  placement: at('placedAtEpochMs'),
  token: at('publishedAtEpochMs'),
  /** The steps after a failure are not part of the order. */
  failure: z.optional(z.undefined()),
});

/**
 * Says when a step could start: when the step before it was done, or when the generation started.
 *
 * @param event the step's input, unchecked
 * @returns undefined for an event that is not the data of a launch without a failure
 */
export function stepStartedAtEpochMs(event: unknown): number | undefined {
  const stamps = Stamps.safeParse(event).data;
  if (stamps === undefined) return undefined;
  const { startedAtEpochMs, failure: _none, ...steps } = stamps;
  return Math.max(startedAtEpochMs, ...Object.values(steps).flatMap((step) => Object.values(step ?? {})));
}

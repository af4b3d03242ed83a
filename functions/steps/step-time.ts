import { EpochMs } from '../domain/launch-state.ts';
import * as z from '../zod.ts';

const at = (name: string) => z.optional(z.object({ [name]: EpochMs }));

/** The moments that a launch's data has of what is done, as far as it has come. */
const Stamps = z.object({
  startedAtEpochMs: EpochMs,
  service: at('createdAtEpochMs'),
  nodePort: at('readAtEpochMs'),
  pod: at('createdAtEpochMs'),
  placement: at('placedAtEpochMs'),
  token: at('publishedAtEpochMs'),
  /** What comes after a failure is no step of the order. */
  failure: z.optional(z.undefined()),
});

/**
 * Says when what a step has to do could begin: when the step before it was done, or the launch was begun.
 *
 * @param event the step's input, unchecked
 * @returns undefined for an event that is not the data of a launch that goes well
 */
export function stepStartedAtEpochMs(event: unknown): number | undefined {
  const stamps = Stamps.safeParse(event).data;
  if (stamps === undefined) return undefined;
  const { startedAtEpochMs, failure: _none, ...steps } = stamps;
  return Math.max(startedAtEpochMs, ...Object.values(steps).flatMap((step) => Object.values(step ?? {})));
}

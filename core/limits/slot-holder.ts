import type { LaunchId } from '../launch/names.ts';
import * as z from '../zod.ts';

/** The slots that a launch holds until all its objects are gone. */
export const LaunchSlots = z.object({
  /** The attempt that took them: several callers may try to make one launch, and each takes slots of its own. */
  attempt: z.string().check(z.minLength(1), z.maxLength(64)),
  /** The keys of the limits. */
  limits: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
});
export type LaunchSlots = z.infer<typeof LaunchSlots>;

/** Names the holder of a slot: a launch, and the attempt to make it. */
export function holderOf(launchId: LaunchId, { attempt }: Pick<LaunchSlots, 'attempt'>): string {
  return `${launchId}/${attempt}`;
}

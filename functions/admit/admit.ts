import { LaunchId } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import { type AdmitDeps, admitWaiting, listWaitingForSlots } from '../../logic/lifecycle/admit-waiting.ts';
import { releaseSlots } from '../../logic/lifecycle/request-limited.ts';

/** A launch that is over. */
export const AdmitInput = z.object({ launchId: LaunchId });

/** How long an admission begins more launches, in milliseconds. The next agent's end, or the next reconcile, goes on. */
const totalMs = 20_000;

/**
 * Frees the slots of a launch that is over, and launches for the jobs whose turn it is. Safe to repeat, and to run any
 * number of times at once.
 *
 * @throws TransientError when a service did not answer; Lambda repeats the run
 */
export async function admit(deps: AdmitDeps, { launchId }: z.infer<typeof AdmitInput>): Promise<void> {
  const endsAtEpochMs = deps.nowEpochMs() + totalMs;
  await releaseSlots(deps, launchId);
  await admitWaiting(
    deps,
    () => listWaitingForSlots(deps),
    () => deps.nowEpochMs() < endsAtEpochMs,
  );
}

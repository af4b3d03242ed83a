import { reconcileTotalMs } from '../../../functions/reconcile/reconcile-deps.ts';
import { sweepLimits } from '../../../functions/sweep/sweep-run.ts';
import { ciRequestMs, functionSettings } from '../../../runtime/function-settings.ts';

/** A call of the SDK to a silent service: three attempts of 3 s, and the pauses between them. */
const silentMs = 9150;
/** A call to a silent cluster. */
const silentClusterMs = 5000;
/** How long Gitea needs to settle. */
const settleMs = 15_000;
/** How long a GitLab needs to settle, at most. No round waits for that. */
const longestSettleMs = 60_000;

test.each([
  ['sweep', sweepLimits.totalMs + silentClusterMs + 2 * silentMs],
  // Its last retirement waits, writes, and the event of its repair gets no answer.
  ['reconcile', reconcileTotalMs + settleMs + 2 * silentMs],
  ['retire-runner', longestSettleMs + 7 * ciRequestMs],
] as const)('%s ends before its time-out, even if services do not answer', (name, longestMs) => {
  expect(functionSettings[name].timeoutSeconds * 1000).toBeGreaterThan(longestMs);
});

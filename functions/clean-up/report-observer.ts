import type { Logger } from '@aws-lambda-powertools/logger';
import type * as z from '../../core/zod.ts';
import type { Metrics } from '../../runtime/metrics/metrics.ts';
import { type CleanUpOutput, observerFailed } from './clean-up.ts';

/** Where the failure of an observer is reported. */
interface ObserverReport {
  metrics: Metrics;
  log: Pick<Logger, 'warn'>;
}

/** Counts and logs a clean-up that left a connected agent alone, because the launch's record does not mention it. */
export function reportObserver(
  { metrics, log }: ObserverReport,
  launchId: string,
  { code, message }: z.infer<typeof CleanUpOutput>,
): void {
  if (code !== observerFailed) return;
  log.warn(message, { code, launchId });
  metrics.put('ObserverFailures', 1, {}, { launchId });
}

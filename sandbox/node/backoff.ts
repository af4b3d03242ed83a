/** The first and the longest wait between attempts. */
export interface BackOffTimes {
  baseMs: number;
  maxMs: number;
}

/**
 * Returns the wait before an attempt. It doubles each time, up to the longest wait.
 *
 * @param attempt 0 for the first wait
 */
export function backOffMs(times: BackOffTimes, attempt: number): number {
  return Math.min(times.baseMs * 2 ** attempt, times.maxMs);
}

/** Formats a wait as Go does: `10s`, `1m20s`, `5m0s`. */
export function goDuration(durationMs: number): string {
  if (durationMs < 1000) return `${durationMs}ms`;
  const minutes = Math.floor(durationMs / 60_000);
  const seconds = (durationMs % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}

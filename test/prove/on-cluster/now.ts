/** The present time in epoch milliseconds, with fractions. */
export function nowEpochMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Waits until the delay is over or `signal` aborts.
 *
 * @returns false if `signal` aborted the wait
 */
export async function pause(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, delayMs);
    signal.addEventListener('abort', stop, { once: true });
  });
}

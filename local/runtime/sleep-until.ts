/** Waits, or until the signal is aborted. */
type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/**
 * Makes a sleep for functions in a process that may stop: who sleeps then never goes on, as if the process had ended, and
 * keeps nothing from ending.
 */
export function sleepUntil(stopping: AbortSignal): Sleep {
  return (ms, signal) =>
    new Promise((resolve) => {
      if (stopping.aborted) return;
      const timer = setTimeout(wake, ms);
      function wake(): void {
        forget();
        resolve();
      }
      function forget(): void {
        clearTimeout(timer);
        stopping.removeEventListener('abort', forget);
        signal?.removeEventListener('abort', wake);
      }
      stopping.addEventListener('abort', forget);
      if (signal?.aborted) wake();
      else signal?.addEventListener('abort', wake);
    });
}

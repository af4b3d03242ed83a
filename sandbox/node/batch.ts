/**
 * Runs `work` once, in a later turn of the event loop, after any number of requests. The store notifies its listeners
 * while it delivers a change. A listener that changed the store at once would interrupt that delivery.
 *
 * @returns a function that requests a run, and one that stops all further runs
 */
export function batch(work: () => void): { request: () => void; stop: () => void } {
  let scheduled: NodeJS.Immediate | undefined;
  let isStopped = false;
  return {
    request() {
      if (!isStopped) {
        scheduled ??= setImmediate(() => {
          scheduled = undefined;
          work();
        });
      }
    },
    stop() {
      isStopped = true;
      clearImmediate(scheduled);
    },
  };
}

/**
 * Runs `work` once, soon, after any number of calls: the store tells of changes in the middle of them, and a reaction
 * that changed something there and then would be told of before its cause.
 *
 * @returns how to ask for a run, and how to end it
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

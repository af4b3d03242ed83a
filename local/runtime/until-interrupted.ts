/** Resolves at the first Ctrl-C (SIGINT) or SIGTERM; a second one ends the process at once, as by default. */
export async function untilInterrupted(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, resolve);
  const received = await promise;
  for (const signal of signals) process.off(signal, resolve);
  return received;
}

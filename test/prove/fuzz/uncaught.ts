import { setImmediate as nextTurn } from 'node:timers/promises';

const uncaught: unknown[] = [];
let isListening = false;

/**
 * Waits one turn of the event loop, and throws the errors that nobody caught in it: a rejection without a handler, an
 * exception from a callback.
 *
 * @throws Error with the first of them as its cause
 */
export async function throwUncaught(): Promise<void> {
  listen();
  await nextTurn();
  if (uncaught.length === 0) return;
  const [cause] = uncaught.splice(0);
  throw new Error(`not caught: ${String(cause)}`, { cause });
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('unhandledRejection', (reason) => uncaught.push(reason));
  process.on('uncaughtException', (error) => uncaught.push(error));
}

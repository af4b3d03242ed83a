import { setImmediate as nextTurn } from 'node:timers/promises';

const strays: unknown[] = [];
let isListening = false;

/**
 * Waits one turn of the event loop, and throws what was thrown there with nobody to catch it: a rejection without a
 * handler, an exception out of a callback.
 *
 * @throws Error with the first of them as its cause
 */
export async function takeStrays(): Promise<void> {
  listen();
  await nextTurn();
  if (strays.length === 0) return;
  const [cause] = strays.splice(0);
  throw new Error(`nobody caught: ${String(cause)}`, { cause });
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('unhandledRejection', (reason) => strays.push(reason));
  process.on('uncaughtException', (error) => strays.push(error));
}

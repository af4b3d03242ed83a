/** A fuzzing thread: it gets one batch at a time, and answers with its result. */
import { parentPort } from 'node:worker_threads';
import type { OpenDoor } from './door.ts';
import { doors } from './doors.ts';
import type { PlannedBatch } from './plan-batches.ts';

if (parentPort === null) throw new Error('worker.ts is for worker threads');
const port = parentPort;
const open = new Map<string, Promise<OpenDoor>>();

async function openDoor(name: string): Promise<OpenDoor> {
  const door = doors.find((candidate) => candidate.name === name);
  if (door === undefined) throw new RangeError(`there is no door ${name}`);
  const opened = open.get(name) ?? door.open();
  open.set(name, opened);
  return opened;
}

async function work(message: PlannedBatch | 'close'): Promise<void> {
  if (message !== 'close') return port.postMessage(await (await openDoor(message.door)).run(message));
  for (const door of open.values()) await (await door)[Symbol.asyncDispose]();
  port.close();
}

port.on('message', (message: PlannedBatch | 'close') => {
  // An error that a timer throws here is the fuzzer's own: it ends the thread, and thereby the run.
  work(message).catch((error: unknown) => {
    setImmediate(() => {
      process.removeAllListeners('uncaughtException');
      throw error;
    });
  });
});

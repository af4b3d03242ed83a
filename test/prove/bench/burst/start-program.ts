import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BurstMessage, type BurstOrder, type BurstStart } from './messages.ts';

/** A process of the burst. */
export interface BurstProgram extends AsyncDisposable {
  /** The address from its ready message. */
  ready: unknown;
  /** When each launch or execution began, in milliseconds of this process's clock, by its name. */
  begun: ReadonlyMap<string, number>;
  /** When each launch had its token, or each execution ended. */
  launched: ReadonlyMap<string, number>;
  tell(order: BurstOrder): void;
  /** Waits for its messages. @returns whether the condition holds before the time is over */
  until(holds: () => boolean, withinMs: number): Promise<boolean>;
}

const path = fileURLToPath(new URL('./program.ts', import.meta.url));

/** Starts a process of the burst. @throws Error when it ends before it is ready */
export async function startProgram(start: BurstStart): Promise<BurstProgram> {
  const child = fork(path, [JSON.stringify(start)]);
  const ready = Promise.withResolvers<unknown>();
  const seen = { begun: new Map<string, number>(), launched: new Map<string, number>() };
  let onSeen = () => {};
  child.on('message', (received) => {
    const message = BurstMessage.parse(received);
    if (message.type === 'ready') return ready.resolve(message);
    seen[message.type].set(message.name, performance.now());
    onSeen();
  });
  child.once('exit', (exitCode, signal) => ready.reject(new Error(`${start.kind} has ended (${exitCode ?? signal})`)));
  return {
    ready: await ready.promise,
    ...seen,
    tell: (order) => void child.send(order),
    until: async (holds, withinMs) => {
      const over = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => over.resolve(false), withinMs);
      onSeen = () => {
        if (holds()) over.resolve(true);
      };
      onSeen();
      try {
        return await over.promise;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

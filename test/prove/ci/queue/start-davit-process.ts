import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DavitStart, Ready } from './davit-start.ts';

/** A davit that a test can kill and restart in the same place. */
export interface DavitProcess extends AsyncDisposable, Ready {
  /** Kills it with SIGKILL and restarts it, after a time if one is given. Resolves when it is ready. */
  restart(afterMs?: number): Promise<void>;
}

const main = fileURLToPath(new URL('./davit-main.ts', import.meta.url));

/** Starts davit in a separate process. @throws Error when it ends before it is ready */
export async function startDavitProcess(start: DavitStart): Promise<DavitProcess> {
  let [child, ready] = await run(start);
  const { port } = new URL(ready.url);
  const again = { ...start, listen: { ...start.listen, port: Number(port) } };
  return {
    ...ready,
    restart: async (afterMs = 0) => {
      await kill(child);
      await sleep(afterMs);
      [child, ready] = await run(again);
    },
    [Symbol.asyncDispose]: async () => kill(child),
  };
}

async function run(start: DavitStart): Promise<[ChildProcess, Ready]> {
  const child = fork(main, [JSON.stringify(start)], {
    // A restarted davit finds its code compiled, by the tests themselves or by the one before: it starts in half the time.
    env: { NODE_COMPILE_CACHE: join(start.stateDirectory, 'compiled'), ...process.env },
    execArgv: ['--max-semi-space-size=4'],
  });
  const ready = Promise.withResolvers<Ready>();
  child.once('message', (message) => ready.resolve(Ready.parse(message)));
  child.once('exit', (exitCode, signal) => ready.reject(new Error(`davit has ended (${exitCode ?? signal})`)));
  return [child, await ready.promise];
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

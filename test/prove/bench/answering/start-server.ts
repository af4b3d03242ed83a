import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { PollTarget } from './poll.ts';

/** A server in a separate process, so that its processor time can be measured. */
export interface AnsweringServer extends PollTarget, AsyncDisposable {
  /** User and system time since its start, in milliseconds. */
  cpuMs: () => Promise<number>;
}

const Ready = z.object({ url: z.string(), credential: z.string() });
const Used = z.object({ cpuMs: z.number() });
const path = fileURLToPath(new URL('./server.ts', import.meta.url));

/** @param kind `bare`: a constant answer; `connect`: davit's connect function on the same server */
export async function startServer(kind: 'bare' | 'connect'): Promise<AnsweringServer> {
  const child = fork(path, [kind]);
  const heard = async () => (await once(child, 'message'))[0] as unknown;
  const target = Ready.parse(await heard());
  return {
    ...target,
    cpuMs: async () => {
      const answer = heard();
      child.send('cpu');
      return Used.parse(await answer).cpuMs;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';

const Killed = z.object({ task: z.string(), agent: z.string() });
/** An agent that was ended while it ran a task. */
export type Killed = z.infer<typeof Killed>;

/** Hears of agents that are ended in the middle of a task. */
export interface KillWitness extends LoopbackServer {
  readonly killed: readonly Killed[];
}

/** Starts what the stand-in for act_runner tells when something ends it in the middle of a task. */
export async function startKillWitness(): Promise<KillWitness> {
  const killed: Killed[] = [];
  async function note(request: IncomingMessage): Promise<void> {
    killed.push(Killed.parse(await json(request)));
  }
  const server = await startLoopbackServer((request, response) => {
    note(request).then(
      () => response.end(),
      () => response.destroy(),
    );
  });
  return { ...server, killed };
}

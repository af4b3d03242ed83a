import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

const Killed = z.object({ task: z.string(), agent: z.string() });
/** An agent that was ended while it ran a task. */
export type Killed = z.infer<typeof Killed>;

/** Records agents that are ended in the middle of a task. */
export interface KillRecorder extends LoopbackServer {
  readonly killed: readonly Killed[];
}

/**
 * Starts the server to which the stand-in for act_runner reports when something ends it in the middle of a task.
 *
 * @param listen the address at which agents reach the server
 */
export async function startKillRecorder(listen = '127.0.0.1'): Promise<KillRecorder> {
  const killed: Killed[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    void json(request).then((body) => {
      killed.push(Killed.parse(body));
      return response.end();
    });
  };
  return { ...(await startLoopbackServer(answer, { host: listen })), killed };
}

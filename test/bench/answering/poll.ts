import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What polling agents saw. */
export interface Polled {
  /** How long each 503 took that says that the token is not there yet, in milliseconds. */
  latenciesMs: number[];
  /** The answers that said that the server could not answer. */
  failures: number;
}

/** Where agents ask, and as whom. */
export interface PollTarget {
  url: string;
  credential: string;
}

const retryAfterMs = 1000;

/**
 * Polls as agents do by the protocol: each asks, is told 503 and `Retry-After: 1`, and asks again then, as after any
 * other 5xx. They begin spread over the first second, each on a connection of its own.
 *
 * @throws Error for any other answer
 */
export async function pollAsAgents({ url, credential }: PollTarget, agents: number, forMs: number): Promise<Polled> {
  const connections = new Agent({ keepAlive: true });
  const endMs = performance.now() + forMs;
  const latenciesMs: number[] = [];
  let failures = 0;
  const beAgent = async (number: number) => {
    await sleep((number / agents) * retryAfterMs);
    while (performance.now() < endMs) {
      const startMs = performance.now();
      const status = await ask(connections, url, credential);
      if (status < 500) throw new Error(`${url} answered ${status}`);
      if (status === 503) latenciesMs.push(performance.now() - startMs);
      else failures += 1;
      await sleep(retryAfterMs);
    }
  };
  await Promise.all(Array.from({ length: agents }, (_, number) => beAgent(number)));
  connections.destroy();
  return { latenciesMs, failures };
}

function ask(agent: Agent, url: string, credential: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers: { authorization: `Bearer ${credential}` } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

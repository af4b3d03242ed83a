import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The measurements of polling agents. */
export interface Polled {
  /** The durations of the 503 answers that mean "no token yet", in milliseconds. */
  latenciesMs: number[];
  /** The number of other 5xx answers. */
  failures: number;
}

/** The URL that agents poll, and their credentials. */
export interface PollTarget {
  url: string;
  credential: string;
}

const retryAfterMs = 1000;

/**
 * Polls by the agents' protocol: each agent asks, gets 503 with `Retry-After: 1`, and asks again after that, as after
 * any other 5xx. The agents start spread over the first second, each on its own connection.
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

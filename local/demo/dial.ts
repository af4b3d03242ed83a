import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An address to dial. */
export interface Address {
  host: string;
  port: number;
}

const pauseMs = 50;

/**
 * Connects to an agent. Its address is correct once davit publishes it. But in a real cluster, its node's kube-proxy
 * learns of the Pod a moment later than davit and accepts no connection before that. So this retries.
 *
 * @param forMs how long to try, in milliseconds
 * @returns the connection, which ends after the same time without data
 * @throws Node's error of the last attempt if no attempt succeeds in time
 */
export async function dial(address: Address, forMs: number): Promise<Socket> {
  const deadlineMs = performance.now() + forMs;
  for (;;) {
    try {
      return await connectOnce(address, forMs);
    } catch (error) {
      if (performance.now() + pauseMs >= deadlineMs) throw error;
      await sleep(pauseMs);
    }
  }
}

function connectOnce({ host, port }: Address, timeoutMs: number): Promise<Socket> {
  const socket = connect({ host, port });
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`${host}:${port} sends nothing`)));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where somebody is dialled. */
export interface Address {
  host: string;
  port: number;
}

const pauseMs = 50;

/**
 * Connects to an agent. Its address is right from the moment that it is published, but in a real cluster nobody is put
 * through before its node's kube-proxy has heard of the Pod, a moment after davit: so whoever dials tries again.
 *
 * @param forMs how long it is tried
 * @returns the connection, which is ended when nothing is heard on it for as long as that
 * @throws Node's error of the last attempt when nobody has answered by then
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
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`${host}:${port} says nothing`)));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { TransientError } from '../../domain/errors.ts';
import { ApiRefusal } from './api-client.ts';
import type { ClusterLink } from './call-cluster.ts';

/** With the usual pause of 250 ms, 2 s: a server reads its rights in less; what takes longer is the state machine's. */
const mostLooks = 8;

/**
 * Waits until the API server is ready. One that has just started answers before it has read who may do what, and
 * refuses everybody; `/readyz` says when it has, and may be refused for the same reason, or for good.
 *
 * @throws TransientError ClusterFault when the server says that it is still not ready; ConnectionError
 * @see https://github.com/kubernetes/kubernetes/issues/121635
 * @see https://kubernetes.io/docs/reference/using-api/health-checks/
 */
export async function untilReady(link: ClusterLink): Promise<void> {
  const { endpoint, patience } = link.connection();
  for (let look = 1; ; look += 1) {
    const refused = await refusalOfReadiness(link);
    const isStarting = refused !== undefined && refused >= 500;
    // Whether we are refused that for good, the call itself tells.
    if (!isStarting && (refused !== 403 || look === mostLooks)) return;
    if (look === mostLooks) {
      const says = `the API server at ${endpoint} is not ready: /readyz: HTTP ${refused}`;
      throw new TransientError('ClusterFault', says, { cluster: link.name });
    }
    await sleep(patience.pauseMs);
  }
}

/** @returns the HTTP status that the server refuses to say with that it is ready */
async function refusalOfReadiness(link: ClusterLink): Promise<number | undefined> {
  try {
    await link.connection().call({ method: 'GET', path: '/readyz' });
    return undefined;
  } catch (error) {
    if (error instanceof ApiRefusal) return error.status;
    throw error;
  }
}

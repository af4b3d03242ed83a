import { setTimeout as sleep } from 'node:timers/promises';
import { ApiException } from '@kubernetes/client-node';
import { TransientError } from '../../core/errors/errors.ts';
import type { ClusterConnection } from './cluster-connection.ts';

/**
 * With the usual pause of 250 ms, this is 2 s. A server needs less time to read its RBAC rules. If it needs longer, the
 * state machine repeats the step.
 */
const mostLooks = 8;

/**
 * Waits until the API server is ready. A server that has just started answers before it has read the RBAC rules, and
 * refuses all users; `/readyz` says when it has read them. It may refuse `/readyz` too, for the same reason or
 * permanently.
 *
 * @param cluster its name in the config, for errors
 * @throws TransientError ClusterFault when the server says that it is still not ready; what `checkReady` throws
 * @see https://github.com/kubernetes/kubernetes/issues/121635
 * @see https://kubernetes.io/docs/reference/using-api/health-checks/
 */
export async function untilReady(cluster: string, connection: ClusterConnection): Promise<void> {
  const { endpoint, patience } = connection;
  for (let look = 1; ; look += 1) {
    const refused = await refusalOfReadiness(connection);
    const isStarting = refused !== undefined && refused >= 500;
    // The call itself will show whether the refusal is permanent.
    if (!isStarting && (refused !== 403 || look === mostLooks)) return;
    if (look === mostLooks) {
      const detail = `the API server at ${endpoint} is not ready: /readyz: HTTP ${refused}`;
      throw new TransientError('ClusterFault', detail, { cluster });
    }
    await sleep(patience.pauseMs);
  }
}

/** @returns the HTTP status of the refusal; undefined when the server is ready */
async function refusalOfReadiness(connection: ClusterConnection): Promise<number | undefined> {
  try {
    await connection.checkReady();
    return undefined;
  } catch (error) {
    if (error instanceof ApiException) return error.code;
    throw error;
  }
}

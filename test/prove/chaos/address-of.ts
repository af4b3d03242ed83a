import * as z from 'zod';
import { sleepUnlessAborted } from '../../../logic/steps/sleep.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import { namespace } from '../cluster/credentials.ts';
import type { AgentHistory } from './history.ts';

const Pod = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z.object({ hostIP: z.string().optional() }),
});
const Service = z.object({ spec: z.object({ ports: z.tuple([z.object({ nodePort: z.int() })]) }) });
const retryMs = 200;

/**
 * Reads an agent's address, HOST_IP:NODE_PORT, from the cluster. Retries until the API server answers.
 *
 * @returns undefined when its Pod or its Service is gone, or the signal was aborted
 */
export async function addressOf(
  api: ApiClient,
  { agentName, podUid }: Pick<AgentHistory, 'agentName' | 'podUid'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      const [pod, service] = await Promise.all([
        api.send(`/api/v1/namespaces/${namespace}/pods/${agentName}`),
        api.send(`/api/v1/namespaces/${namespace}/services/${agentName}`),
      ]);
      if (pod.status === 404 || service.status === 404) return undefined;
      if (pod.status === 200 && service.status === 200) {
        const { metadata, status } = Pod.parse(pod.body);
        const [{ nodePort }] = Service.parse(service.body).spec.ports;
        return metadata.uid === podUid ? `${status.hostIP}:${nodePort}` : undefined;
      }
    } catch (error) {
      if (error instanceof z.core.$ZodError) throw error; // any other error: the API server is away
    }
    await sleepUnlessAborted(retryMs, signal);
  }
  return undefined;
}

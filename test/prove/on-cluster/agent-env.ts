import * as z from 'zod';
import type { ApiClient } from '../../contract/api-client.ts';
import { namespace } from '../cluster/credentials.ts';
import { until } from '../cluster/until.ts';

/** The variables with which an agent connects. */
export interface AgentEnv {
  connectUrl: string;
  credential: string;
}

const PodEnv = z.object({
  spec: z.object({
    containers: z.tuple([z.object({ env: z.array(z.object({ name: z.string(), value: z.string().optional() })) })]),
  }),
});

const timeoutMs = 60_000;

/** Reads an agent's variables from its Pod, which may not exist yet. */
export async function readAgentEnv(api: ApiClient, agentName: string): Promise<AgentEnv> {
  return until(`${agentName} has a Pod`, timeoutMs, async () => {
    const { status, body } = await api.send(`/api/v1/namespaces/${namespace}/pods/${agentName}`);
    return status === 200 ? agentEnvOf(body) : undefined;
  });
}

/** The variables of a Pod's container. @throws ZodError when they are not an agent's */
export function agentEnvOf(pod: unknown): AgentEnv {
  const [{ env }] = PodEnv.parse(pod).spec.containers;
  const valueOf = (name: string) => z.string().parse(env.find((each) => each.name === name)?.value);
  return { connectUrl: valueOf('DAVIT_CONNECT_URL'), credential: valueOf('DAVIT_CREDENTIAL') };
}

import * as z from 'zod';

const Pod = z.object({
  spec: z.object({
    containers: z.array(
      z.object({ name: z.string(), env: z.array(z.object({ name: z.string(), value: z.string().optional() })) }),
    ),
  }),
});

/** What davit tells an agent by its environment. */
export interface AgentEnvironment {
  connectUrl: string;
  credential: string;
}

/** Reads what a Pod's agent was told. @throws Error naming what it was not told */
export function agentOf(pod: unknown): AgentEnvironment {
  const env = Pod.parse(pod).spec.containers.flatMap((container) => container.env);
  const valueOf = (name: string) => {
    const value = env.find((variable) => variable.name === name)?.value;
    if (value === undefined) throw new Error(`no container of the Pod has ${name}`);
    return value;
  };
  return { connectUrl: valueOf('DAVIT_CONNECT_URL'), credential: valueOf('DAVIT_CREDENTIAL') };
}

import * as z from 'zod';

const Pod = z.object({
  spec: z.object({
    containers: z.array(
      z.object({ name: z.string(), env: z.array(z.object({ name: z.string(), value: z.string().optional() })) }),
    ),
  }),
});

/** The contents of an agent's environment. */
export interface AgentEnvironment {
  connectUrl: string;
  credential: string;
}

/** Reads the environment of a Pod's agent. @throws Error naming a variable that is missing */
export function agentOf(pod: unknown): AgentEnvironment {
  const env = Pod.parse(pod).spec.containers.flatMap((container) => container.env);
  const valueOf = (name: string) => {
    const value = env.find((variable) => variable.name === name)?.value;
    if (value === undefined) throw new Error(`no container of the Pod has ${name}`);
    return value;
  };
  return { connectUrl: valueOf('DAVIT_CONNECT_URL'), credential: valueOf('DAVIT_CREDENTIAL') };
}

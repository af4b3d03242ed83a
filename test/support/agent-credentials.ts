import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { createJoseIssuer } from '../../adapters/jose/jose-credentials.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { credentialKeySecret } from '../../local/runtime/local-secrets.ts';
import type { Runtime } from '../../local/runtime/start-runtime.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';

const lifetimeSeconds = 3600;

const EnvVar = z.object({ name: z.string(), value: z.string().optional() });
const AgentSpec = z.object({ containers: z.array(z.object({ env: z.array(EnvVar).optional() })) });

/** Reads an agent's credential from its Pod; undefined before the credential exists. */
export function credentialInPod(
  { history }: { history: { changes: readonly { resource: string; object: KubeObject }[] } },
  agentName: string,
): string | undefined {
  const pod = history.changes.findLast(
    ({ resource, object }) => resource === 'pods' && object.metadata.name === agentName,
  );
  const env = AgentSpec.safeParse(pod?.object['spec']).data?.containers.flatMap((container) => container.env ?? []);
  return env?.find(({ name }) => name === 'DAVIT_CREDENTIAL')?.value;
}

/** Makes an agent credential as CreatePod does, but for no Pod. @param ageMs the age to give the credential */
export async function credentialOf(
  { secrets }: Pick<Runtime, 'secrets'>,
  launchId: string,
  ageMs = 0,
): Promise<string> {
  const keys = secrets.signing(credentialKeySecret);
  const issuer = createJoseIssuer({ keys, nowEpochMs: () => Date.now() - ageMs });
  const identity = { agentName: agentNameOf(launchId), launchId, credentialId: randomUUID() };
  return await issuer.issue(identity, Math.floor(Date.now() / 1000) + lifetimeSeconds);
}

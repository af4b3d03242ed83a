import { randomUUID } from 'node:crypto';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { createJoseIssuer } from '../../adapters/jose/jose-credentials.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { CreatePodInput, CreatePodOutput, createPod } from './create-pod.ts';

const client = createDynamoClient();
const { config, secrets, openCluster, clusterStates } = composeClusters(client);
const keySecret = environment('DAVIT_CREDENTIAL_KEY_SECRET');
const deps = {
  openCluster,
  clusterStates,
  launches: composeLaunches(client),
  credentials: createJoseIssuer({ keys: secrets.signing(keySecret), nowEpochMs: Date.now }),
  newCredentialId: randomUUID,
  profiles: config.profiles,
  publicUrl: environment('DAVIT_PUBLIC_URL'),
  nowEpochMs: Date.now,
};

/** The CreatePod state's Lambda. */
export const handler = eventHandler({
  name: 'CreatePod',
  Input: CreatePodInput,
  Output: CreatePodOutput,
  run: (input) => createPod(deps, input),
});

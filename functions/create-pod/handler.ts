import { createDynamoClient, createSecretsManagerClient } from '../adapters/aws/clients.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createSecrets } from '../adapters/aws/create-secrets.ts';
import { createJoseIssuer } from '../adapters/jose/jose-credentials.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig, environment } from '../config.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { CreatePodInput, CreatePodOutput, createPod } from './create-pod.ts';

const config = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const launches = createDynamoLaunches({ client: createDynamoClient(), tableName: environment('DAVIT_LAUNCHES_TABLE') });
const deps = {
  openCluster: openClusters(config.clusters, (id) => secrets.read(id)),
  launches,
  credentials: createJoseIssuer({
    readKey: () => secrets.read(environment('DAVIT_CREDENTIAL_KEY_SECRET')),
    nowEpochMs: Date.now,
  }),
  profiles: config.profiles,
  publicUrl: environment('DAVIT_PUBLIC_URL'),
  nowEpochMs: Date.now,
};

/** The CreatePod state's Lambda. */
export const handler = stepHandler({
  name: 'CreatePod',
  Input: CreatePodInput,
  Output: CreatePodOutput,
  run: (input) => createPod(deps, input),
});

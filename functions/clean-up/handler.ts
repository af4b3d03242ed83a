import { createDynamoClient, createSecretsManagerClient } from '../adapters/aws/clients.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createSecrets } from '../adapters/aws/create-secrets.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig, environment } from '../config.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { CleanUpInput, CleanUpOutput, cleanUp } from './clean-up.ts';

const config = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const launches = createDynamoLaunches({ client: createDynamoClient(), tableName: environment('DAVIT_LAUNCHES_TABLE') });
const deps = {
  openCluster: openClusters(config.clusters, (id) => secrets.read(id)),
  launches,
  nowEpochMs: Date.now,
};

/** The CleanUp state's Lambda. */
export const handler = stepHandler({
  name: 'CleanUp',
  Input: CleanUpInput,
  Output: CleanUpOutput,
  run: (input) => cleanUp(deps, input),
});

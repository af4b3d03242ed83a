import { createDynamoClient, createSecretsManagerClient } from '../adapters/aws/clients.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createSecrets } from '../adapters/aws/create-secrets.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig, environment } from '../config.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { RelaunchInput, RelaunchOutput, relaunch } from './relaunch.ts';

const config = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const launches = createDynamoLaunches({ client: createDynamoClient(), tableName: environment('DAVIT_LAUNCHES_TABLE') });
const deps = {
  openCluster: openClusters(config.clusters, (id) => secrets.read(id)),
  launches,
  nowEpochMs: Date.now,
};

/** The Relaunch state's Lambda. */
export const handler = stepHandler({
  name: 'Relaunch',
  Input: RelaunchInput,
  Output: RelaunchOutput,
  run: (input) => relaunch(deps, input),
});

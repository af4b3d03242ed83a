import { createSecretsManagerClient } from '../adapters/aws/clients.ts';
import { createSecrets } from '../adapters/aws/create-secrets.ts';
import { openClusters } from '../adapters/kubernetes/open-clusters.ts';
import { bundledConfig } from '../config.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { PollNodePortInput, PollNodePortOutput, pollNodePort } from './poll-node-port.ts';

const config = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const deps = {
  openCluster: openClusters(config.clusters, (id) => secrets.read(id)),
  nowEpochMs: Date.now,
};

/** The PollNodePort state's Lambda. */
export const handler = stepHandler({
  name: 'PollNodePort',
  Input: PollNodePortInput,
  Output: PollNodePortOutput,
  run: (input) => pollNodePort(deps, input),
});

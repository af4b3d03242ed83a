import { createSecrets, createSecretsManagerClient } from '../adapters/aws/create-secrets.ts';
import { bundledConfig } from '../bundled-config.ts';
import { composeJobs } from '../compose/jobs.ts';
import { composeLaunchDependencies } from '../compose/launch-dependencies.ts';
import { composeRegistrations } from '../compose/registrations.ts';
import { environment } from '../environment.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { answerWebhook } from './webhook.ts';

const { profiles, ciSystems } = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const deps = {
  ...composeLaunchDependencies(),
  profiles,
  ciSystems,
  jobs: composeJobs(),
  registrations: composeRegistrations(),
  installationId: environment('DAVIT_INSTALLATION_ID'),
  secretsOf: (id: string) => secrets.signing(id),
};

/** Takes the webhooks of CI systems. */
export const handler = httpHandler((request) => answerWebhook(deps, request), { name: 'webhook', logger, metrics });

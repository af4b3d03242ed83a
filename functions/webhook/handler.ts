import { createSecrets, createSecretsManagerClient } from '../adapters/aws/create-secrets.ts';
import { bundledConfig } from '../bundled-config.ts';
import { composeLaunchDependencies } from '../compose/launch-dependencies.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { answerWebhook } from './webhook.ts';

const { profiles, ciSystems } = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const deps = { ...composeLaunchDependencies(), profiles, ciSystems, secretsOf: (id: string) => secrets.signing(id) };

/** Takes the webhooks of CI systems. */
export const handler = httpHandler((request) => answerWebhook(deps, request), { name: 'webhook', logger, metrics });

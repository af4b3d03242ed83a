import { secretsManager } from '../adapters/aws/aws-services.ts';
import { createSecrets } from '../adapters/aws/create-secrets.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { bundledConfig } from '../bundled-config.ts';
import { composeLaunchParts } from '../compose/launch-parts.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { answerWebhook } from './webhook.ts';

const { profiles, webhooks } = bundledConfig();
const secrets = createSecrets({ client: createJsonClient(secretsManager) });
const deps = { ...composeLaunchParts(), profiles, webhooks, secretsOf: (id: string) => secrets.signing(id) };

/** Takes the webhooks of CI systems. */
export const handler = httpHandler((request) => answerWebhook(deps, request), { name: 'webhook', logger, metrics });

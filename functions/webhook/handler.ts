import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeJobDependencies } from '../../runtime/compose/job-dependencies.ts';
import { composePollTurns, composeRefusedWebhooks } from '../../runtime/compose/tables.ts';
import { AnswerDeadline } from '../../runtime/http/answer-deadline.ts';
import { httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { countRefused } from './count-refused.ts';
import { answerWebhook } from './webhook.ts';

/**
 * The goal is an answer within 3 s; GitHub gives up after 10 s. A refusal is safe: reconciling finds the job. A throttled call
 * alone may take 3 s, and a webhook makes five.
 */
const deadline = new AnswerDeadline({ retryMs: 2500, nowEpochMs: Date.now });
const secrets = createSecrets({ client: createSecretsManagerClient({ deadline }) });
const client = createDynamoClient({ deadline });
const deps = {
  ...composeJobDependencies(client, { deadline }),
  invokeLater: composeInvokeLater(['clean-up', 'publish-events', 'poll-ci'], { deadline }),
  pollTurns: composePollTurns(client),
  secretsOf: (id: string) => secrets.signing(id),
};

const answer = countRefused({ ...deps, refusedWebhooks: composeRefusedWebhooks(client) }, (request) =>
  answerWebhook(deps, request),
);

/** Receives the webhooks of CI systems. */
export const handler = httpHandler((request) => deadline.run(request, () => answer(request)), {
  name: 'webhook',
  logger,
  metrics,
});

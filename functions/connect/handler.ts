import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoTokenReader } from '../../adapters/aws/create-dynamo-tokens.ts';
import { createRegistrar } from '../../adapters/aws/create-registrar.ts';
import { createSecrets, createSecretsManagerClient } from '../../adapters/aws/create-secrets.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { createLambdaClient } from '../../adapters/aws/invoke-later.ts';
import { createJoseIssuer, createJoseVerifier } from '../../adapters/jose/jose-credentials.ts';
import { createXrayTraces } from '../../adapters/xray/create-xray-traces.ts';
import { composeJobs, composeLaunches, composeRegistrations } from '../../runtime/compose/tables.ts';
import { environment, namesInLambda, traceDaemonAddress, traceHeader } from '../../runtime/environment.ts';
import { functionSettings } from '../../runtime/function-settings.ts';
import { httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { answerConnect } from './connect.ts';

const client = createDynamoClient();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const keySecret = environment('DAVIT_CREDENTIAL_KEY_SECRET');
const nowEpochMs = Date.now;
/** A second longer than register-runner may take. */
const registrationMs = (functionSettings['register-runner'].timeoutSeconds + 1) * 1000;

const daemonAddress = traceDaemonAddress();

const jose = { keys: secrets.signing(keySecret), nowEpochMs };

const deps = {
  tokens: createDynamoTokenReader({ client, tableName: environment('DAVIT_TOKENS_TABLE') }),
  launches: composeLaunches(client),
  registrations: composeRegistrations(client),
  jobs: composeJobs(client),
  registrar: createRegistrar({
    client: createLambdaClient({ maxAttempts: 1, requestMs: registrationMs }),
    functionName: namesInLambda(['register-runner'])['register-runner'],
  }),
  newNonce: randomUUID,
  sleep,
  credentials: { ...createJoseVerifier(jose), ...createJoseIssuer(jose) },
  traces:
    daemonAddress === undefined
      ? undefined
      : createXrayTraces({ daemonAddress, requestTraceHeader: traceHeader, log: logger }),
  nowEpochMs,
};

/** Hands published tokens to agents. */
export const handler = httpHandler((request) => answerConnect(deps, request), { name: 'connect', logger, metrics });

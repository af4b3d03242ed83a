import { localServiceName } from '../../../../local/runtime/start-runtime.ts';
import type { EnvironmentVariable } from '../../../../runtime/environment.ts';
import { invokedFunctions } from '../../../../runtime/function-settings.ts';
import { localBusName } from '../eventbridge/eventbridge-server.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';

/** The endpoints of the local services, and the names of davit's resources there. */
export interface LocalServices {
  configFile: string;
  launchesTable: string;
  tokensTable: string;
  jobsTable: string;
  clustersTable: string;
  stateMachineArn: string;
  installationId: string;
  credentialKeySecret: string;
  publicUrl: string;
  /** The secret access key that must sign every request to the services below. */
  secretAccessKey: string;
  dynamoDbUrl: string;
  stepFunctionsUrl: string;
  lambdaUrl: string;
  secretsManagerUrl: string;
  eventBridgeUrl: string;
}

/**
 * Returns the SDKs' own settings with which a function reaches the local services. The access key id is the function's
 * name, so the services know which function calls.
 */
export function awsEnvironment(services: LocalServices, functionName: string): Record<string, string> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: functionName,
    AWS_SECRET_ACCESS_KEY: services.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: services.dynamoDbUrl,
    AWS_ENDPOINT_URL_SFN: services.stepFunctionsUrl,
    AWS_ENDPOINT_URL_LAMBDA: services.lambdaUrl,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: services.secretsManagerUrl,
    AWS_ENDPOINT_URL_EVENTBRIDGE: services.eventBridgeUrl,
  };
}

/** Returns davit's variables in the functions' environment: every variable that the functions read. */
export function davitEnvironment(services: LocalServices): Record<EnvironmentVariable, string> {
  return {
    DAVIT_CONFIG_FILE: services.configFile,
    DAVIT_LAUNCHES_TABLE: services.launchesTable,
    DAVIT_TOKENS_TABLE: services.tokensTable,
    DAVIT_JOBS_TABLE: services.jobsTable,
    DAVIT_CLUSTERS_TABLE: services.clustersTable,
    DAVIT_STATE_MACHINE_ARN: services.stateMachineArn,
    DAVIT_FUNCTIONS: JSON.stringify(Object.fromEntries(invokedFunctions.map((name) => [name, name]))),
    DAVIT_INSTALLATION_ID: services.installationId,
    DAVIT_CREDENTIAL_KEY_SECRET: services.credentialKeySecret,
    DAVIT_PUBLIC_URL: services.publicUrl,
    DAVIT_EVENT_BUS: localBusName,
    POWERTOOLS_SERVICE_NAME: localServiceName,
  };
}

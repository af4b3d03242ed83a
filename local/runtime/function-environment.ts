import type { EnvironmentVariable } from '../../functions/environment.ts';
import { localBusName } from '../eventbridge/eventbridge-server.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';

/** Where the local services are, and what davit's things are called there. */
export interface LocalServices {
  configFile: string;
  launchesTable: string;
  tokensTable: string;
  jobsTable: string;
  stateMachineArn: string;
  cleanUpFunction: string;
  registerRunnerFunction: string;
  retireRunnerFunction: string;
  installationId: string;
  credentialKeySecret: string;
  publicUrl: string;
  /** What every request to the services below must be signed with. */
  secretAccessKey: string;
  dynamoDbUrl: string;
  stepFunctionsUrl: string;
  lambdaUrl: string;
  secretsManagerUrl: string;
  eventBridgeUrl: string;
}

/**
 * Gives the SDKs' own settings by which a function reaches the local services. Its access key id is its own name, so the
 * services can tell which function asks.
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

/** What the functions' environment says of davit; every variable that they read is there. */
export function davitEnvironment(services: LocalServices): Record<EnvironmentVariable, string> {
  return {
    DAVIT_CONFIG_FILE: services.configFile,
    DAVIT_LAUNCHES_TABLE: services.launchesTable,
    DAVIT_TOKENS_TABLE: services.tokensTable,
    DAVIT_JOBS_TABLE: services.jobsTable,
    DAVIT_STATE_MACHINE_ARN: services.stateMachineArn,
    DAVIT_CLEAN_UP_FUNCTION: services.cleanUpFunction,
    DAVIT_REGISTER_RUNNER_FUNCTION: services.registerRunnerFunction,
    DAVIT_RETIRE_RUNNER_FUNCTION: services.retireRunnerFunction,
    DAVIT_INSTALLATION_ID: services.installationId,
    DAVIT_CREDENTIAL_KEY_SECRET: services.credentialKeySecret,
    DAVIT_PUBLIC_URL: services.publicUrl,
    DAVIT_EVENT_BUS: localBusName,
    POWERTOOLS_SERVICE_NAME: 'davit-local',
  };
}

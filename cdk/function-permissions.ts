import type { EnvironmentVariable } from '../functions/environment.ts';
import type { FunctionName } from '../functions/manifest.ts';
import { functionSettings } from '../functions/manifest.ts';

/** Says whether a text is the name of a function. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionSettings, name);
}

/** Every function. */
export const functionNames: readonly FunctionName[] = Object.keys(functionSettings).filter(isFunctionName);

/** What one function reaches besides Kubernetes. Its environment and its role's policy are both made from this. */
export interface FunctionPermissions {
  /** Reads the bundled davit.yaml. */
  config?: true;
  /** What it does with the launches table; `Query` is of the index by status only. */
  launches?: readonly ('GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'Query')[];
  /** What it does with the tokens table. */
  tokens?: readonly ('GetItem' | 'PutItem')[];
  /** What it does with the jobs table. */
  jobs?: readonly ('GetItem' | 'PutItem' | 'UpdateItem' | 'Query')[];
  /**
   * The secrets that it reads: the clusters' kubeconfigs, the webhooks' secrets, the credentials by which davit acts in CI
   * systems, the key of agents' credentials.
   */
  secrets?: readonly ('clusters' | 'webhooks' | 'ciCredentials' | 'credentialKey')[];
  /** What it does with the launches' executions. */
  executions?: readonly ('StartExecution' | 'StopExecution' | 'DescribeExecution' | 'ListExecutions')[];
  /** Asks for clean-ups. */
  cleanUps?: true;
  /** Has agents registered at their CI systems. */
  registrations?: true;
  /** Has runners taken out of their CI systems. */
  retirements?: true;
  /** Names runners, or knows them by their names. */
  runners?: true;
  /** Gives agents the URL where they connect. */
  publicUrl?: true;
  /** Sends events. */
  events?: true;
}

/**
 * Every function's permissions. The actions are those of the port methods that the function's logic is given: `request` is
 * a PutItem and, for a duplicate, a GetItem; `end`, `noteSignal` and `markConnected` are an UpdateItem and a GetItem.
 */
export const functionPermissions: Record<FunctionName, FunctionPermissions> = {
  webhook: {
    config: true,
    launches: ['GetItem', 'PutItem', 'UpdateItem'],
    jobs: ['GetItem', 'PutItem', 'UpdateItem'],
    secrets: ['webhooks'],
    executions: ['StartExecution', 'StopExecution'],
    cleanUps: true,
    runners: true,
  },
  launches: {
    config: true,
    launches: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    executions: ['StartExecution', 'StopExecution'],
    cleanUps: true,
    retirements: true,
  },
  // Everybody who reaches the API can call it, so it may do the least: its only write marks a launch as connected, or its
  // registration as begun.
  connect: {
    launches: ['GetItem', 'UpdateItem'],
    tokens: ['GetItem'],
    secrets: ['credentialKey'],
    registrations: true,
  },
  'register-runner': {
    config: true,
    launches: ['GetItem', 'UpdateItem'],
    secrets: ['ciCredentials'],
    runners: true,
  },
  'retire-runner': {
    config: true,
    launches: ['GetItem', 'UpdateItem'],
    secrets: ['ciCredentials'],
    executions: ['StopExecution'],
    cleanUps: true,
  },
  'create-service': { config: true, launches: ['GetItem', 'UpdateItem'], secrets: ['clusters'] },
  'poll-node-port': { config: true, secrets: ['clusters'] },
  'create-pod': {
    config: true,
    launches: ['GetItem', 'UpdateItem'],
    secrets: ['clusters', 'credentialKey'],
    publicUrl: true,
  },
  'poll-host-ip': { config: true, launches: ['GetItem', 'UpdateItem'], secrets: ['clusters'] },
  // The only writer of tokens; it reads one when another attempt was first.
  'publish-token': { tokens: ['GetItem', 'PutItem'] },
  'await-agent': { config: true, launches: ['GetItem', 'UpdateItem'], secrets: ['clusters'] },
  relaunch: { config: true, launches: ['GetItem', 'UpdateItem'], secrets: ['clusters'] },
  'clean-up': { config: true, launches: ['GetItem', 'UpdateItem'], secrets: ['clusters'] },
  sweep: {
    config: true,
    launches: ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query'],
    secrets: ['clusters'],
    executions: ['StartExecution', 'StopExecution', 'DescribeExecution', 'ListExecutions'],
    cleanUps: true,
    retirements: true,
    events: true,
  },
  reconcile: {
    config: true,
    launches: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'],
    jobs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    secrets: ['ciCredentials'],
    executions: ['StartExecution'],
    retirements: true,
    runners: true,
  },
  // The tables' streams are read by Lambda, by the function's role: see event-publishing.ts.
  'publish-events': { launches: ['GetItem'], events: true },
};

/** Says whether a function calls the API of Kubernetes. */
export function reachesClusters(name: FunctionName): boolean {
  return functionPermissions[name].secrets?.includes('clusters') === true;
}

/** Says whether a function runs in the VPC, if there is one: it alone may reach the clusters and the CI systems. */
export function runsInVpc(name: FunctionName): boolean {
  return reachesClusters(name) || functionPermissions[name].secrets?.includes('ciCredentials') === true;
}

/** Names the environment variables of a function with these permissions: those and no others. */
export function environmentNames(needs: FunctionPermissions): EnvironmentVariable[] {
  const given: Record<EnvironmentVariable, boolean> = {
    DAVIT_CONFIG_FILE: needs.config === true,
    DAVIT_LAUNCHES_TABLE: needs.launches !== undefined,
    DAVIT_TOKENS_TABLE: needs.tokens !== undefined,
    DAVIT_JOBS_TABLE: needs.jobs !== undefined,
    DAVIT_STATE_MACHINE_ARN: needs.executions !== undefined,
    DAVIT_CLEAN_UP_FUNCTION: needs.cleanUps === true,
    DAVIT_REGISTER_RUNNER_FUNCTION: needs.registrations === true,
    DAVIT_RETIRE_RUNNER_FUNCTION: needs.retirements === true,
    DAVIT_INSTALLATION_ID: needs.runners === true,
    DAVIT_CREDENTIAL_KEY_SECRET: needs.secrets?.includes('credentialKey') === true,
    DAVIT_PUBLIC_URL: needs.publicUrl === true,
    DAVIT_EVENT_BUS: needs.events === true,
    POWERTOOLS_SERVICE_NAME: true,
  };
  return environmentVariables.filter((name) => given[name]);
}

const environmentVariables = [
  'DAVIT_CONFIG_FILE',
  'DAVIT_LAUNCHES_TABLE',
  'DAVIT_TOKENS_TABLE',
  'DAVIT_JOBS_TABLE',
  'DAVIT_STATE_MACHINE_ARN',
  'DAVIT_CLEAN_UP_FUNCTION',
  'DAVIT_REGISTER_RUNNER_FUNCTION',
  'DAVIT_RETIRE_RUNNER_FUNCTION',
  'DAVIT_INSTALLATION_ID',
  'DAVIT_CREDENTIAL_KEY_SECRET',
  'DAVIT_PUBLIC_URL',
  'DAVIT_EVENT_BUS',
  'POWERTOOLS_SERVICE_NAME',
] as const satisfies readonly EnvironmentVariable[];

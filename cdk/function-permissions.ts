import { type EnvironmentVariable, isEnvironmentVariable } from '../runtime/environment.ts';
import { type FunctionName, functionSettings, type InvokedFunction } from '../runtime/function-settings.ts';

/** Says whether a text is the name of a function. */
export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functionSettings, name);
}

/** Every function. */
export const functionNames: readonly FunctionName[] = Object.keys(functionSettings).filter(isFunctionName);

/** davit's credentials for all CI systems, for those that it polls, or for those that take commit statuses. */
const ciCredentials = ['ciCredentials', 'polledCredentials', 'statusCredentials'] as const;

/**
 * The resources that one function uses besides Kubernetes. Its environment and its role's policy both follow from this:
 * `constructs/grant-permissions.ts` makes the policy.
 */
export interface FunctionPermissions {
  /** Reads the bundled davit.yaml. */
  config?: true;
  /** Its actions on the launches table; `Query` only on the index by status, `QueryStandby` on that of agents that stand by. */
  launches?: readonly ('GetItem' | 'BatchGetItem' | 'UpdateItem' | 'Query' | 'QueryStandby')[];
  /** Its actions on the tokens table. */
  tokens?: readonly ('GetItem' | 'PutItem')[];
  /** Its actions on the jobs table; `QueryIndex` is `Query` on the index of waiting jobs. */
  jobs?: readonly ('GetItem' | 'BatchGetItem' | 'UpdateItem' | 'Query' | 'QueryIndex')[];
  /** What it does with the slots of limits, whose items are in the jobs table. */
  slots?: readonly (keyof typeof slotActions)[];
  /** Its actions on the clusters table. */
  clusters?: readonly ('GetItem' | 'UpdateItem' | 'Scan')[];
  /**
   * The secrets that it reads: the clusters' kubeconfigs, the webhooks' secrets, `ciCredentials`, the key of agents'
   * credentials.
   */
  secrets?: readonly ('clusters' | 'webhooks' | (typeof ciCredentials)[number] | 'credentialKey')[];
  /** Its actions on the launches' executions. */
  executions?: readonly ('StartExecution' | 'StopExecution' | 'DescribeExecution' | 'ListExecutions')[];
  /** The functions that it invokes. */
  invokes?: readonly InvokedFunction[];
  /** Acts in CI systems, where names carry the installation's id; or knows runners by their names. */
  runners?: true;
  /** Gives agents the URL where they connect. */
  publicUrl?: true;
  /** Sends events. */
  events?: true;
}

/** The actions on the items of slots, and on no others. No role may delete another item. */
export const slotActions = { read: ['Query'], take: ['GetItem', 'PutItem', 'DeleteItem'] } as const;

/** The permissions of a step of the state machine: it changes its launch, and calls a cluster. */
const step: FunctionPermissions = {
  config: true,
  launches: ['GetItem', 'UpdateItem'],
  clusters: ['GetItem', 'UpdateItem'],
  secrets: ['clusters'],
};

/**
 * Every function's permissions. The actions follow from the port methods that the function's logic gets: each method that
 * changes a launch is a GetItem and an UpdateItem.
 */
export const functionPermissions: Record<FunctionName, FunctionPermissions> = {
  webhook: {
    config: true,
    launches: ['GetItem', 'UpdateItem', 'QueryStandby'],
    jobs: ['GetItem', 'BatchGetItem', 'UpdateItem', 'QueryIndex'],
    slots: ['read', 'take'],
    clusters: ['GetItem'],
    secrets: ['webhooks'],
    executions: ['StartExecution', 'StopExecution'],
    invokes: ['clean-up', 'publish-events', 'poll-ci'],
    runners: true,
  },
  launches: {
    config: true,
    launches: ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query'],
    slots: ['take'],
    clusters: ['GetItem'],
    executions: ['StartExecution', 'StopExecution'],
    invokes: ['clean-up', 'retire-runner'],
  },
  clusters: { config: true, launches: ['BatchGetItem', 'Query'], clusters: ['Scan'] },
  jobs: { config: true, launches: ['BatchGetItem'], jobs: ['GetItem', 'BatchGetItem', 'QueryIndex'], slots: ['read'] },
  // Every client of the API can call it, so it has the fewest permissions: its only write marks a launch as
  // connected, or a registration as begun. It reads whether the launch's job still waits.
  connect: {
    launches: ['GetItem', 'UpdateItem'],
    jobs: ['BatchGetItem'],
    tokens: ['GetItem'],
    secrets: ['credentialKey'],
    invokes: ['register-runner'],
  },
  'describe-api': {},
  'register-runner': {
    config: true,
    launches: ['GetItem', 'UpdateItem'],
    jobs: ['GetItem', 'BatchGetItem', 'UpdateItem'],
    secrets: ['ciCredentials'],
    runners: true,
  },
  'retire-runner': {
    config: true,
    launches: ['GetItem', 'UpdateItem'],
    jobs: ['GetItem', 'UpdateItem'],
    secrets: ['ciCredentials'],
    executions: ['StopExecution'],
    invokes: ['clean-up'],
    runners: true,
  },
  'report-to-ci': { config: true, jobs: ['GetItem', 'UpdateItem'], secrets: ['statusCredentials'], runners: true },
  'create-service': step,
  'poll-node-port': step,
  'create-pod': { ...step, secrets: ['clusters', 'credentialKey'], publicUrl: true },
  'poll-host-ip': step,
  // Only this function writes tokens. It reads the token if another attempt wrote it first.
  'publish-token': { ...step, tokens: ['GetItem', 'PutItem'] },
  relaunch: step,
  'clean-up': { ...step, jobs: ['GetItem', 'BatchGetItem', 'UpdateItem'] },
  sweep: {
    config: true,
    launches: ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query'],
    clusters: ['GetItem', 'UpdateItem'],
    secrets: ['clusters'],
    executions: ['StartExecution', 'StopExecution', 'DescribeExecution', 'ListExecutions'],
    invokes: ['clean-up', 'retire-runner'],
    events: true,
  },
  admit: {
    config: true,
    launches: ['GetItem', 'UpdateItem'],
    jobs: ['GetItem', 'BatchGetItem', 'UpdateItem', 'QueryIndex'],
    slots: ['read', 'take'],
    clusters: ['GetItem'],
    executions: ['StartExecution'],
  },
  reconcile: {
    config: true,
    launches: ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query'],
    jobs: ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query', 'QueryIndex'],
    slots: ['read', 'take'],
    clusters: ['GetItem'],
    secrets: ['ciCredentials'],
    executions: ['StartExecution'],
    invokes: ['retire-runner', 'report-to-ci'],
    runners: true,
    events: true,
  },
  'poll-ci': {
    config: true,
    launches: ['GetItem', 'BatchGetItem', 'UpdateItem', 'Query', 'QueryStandby'],
    jobs: ['GetItem', 'BatchGetItem', 'UpdateItem', 'QueryIndex'],
    slots: ['read', 'take'],
    clusters: ['GetItem'],
    secrets: ['polledCredentials'],
    executions: ['StartExecution', 'StopExecution'],
    invokes: ['clean-up', 'publish-events', 'retire-runner'],
    runners: true,
  },
  probe: {
    config: true,
    launches: ['BatchGetItem', 'Query'],
    clusters: ['GetItem', 'UpdateItem'],
    secrets: ['clusters'],
  },
  // Lambda reads the tables' streams, with the function's role: see event-publishing.ts.
  'publish-events': { launches: ['GetItem'], events: true, invokes: ['admit', 'probe'] },
};

/** Says whether a function calls the API of Kubernetes. */
export function reachesClusters(name: FunctionName): boolean {
  return functionPermissions[name].secrets?.includes('clusters') === true;
}

/** Says whether a function runs in the VPC, if there is one: it alone may reach the clusters and the CI systems. */
export function runsInVpc(name: FunctionName): boolean {
  const { secrets = [] } = functionPermissions[name];
  return reachesClusters(name) || ciCredentials.some((credentials) => secrets.includes(credentials));
}

/** Names the environment variables of a function with these permissions: those and no others. */
export function environmentNames(needs: FunctionPermissions): EnvironmentVariable[] {
  const given: Record<EnvironmentVariable, boolean> = {
    DAVIT_CONFIG_FILE: needs.config === true,
    DAVIT_LAUNCHES_TABLE: needs.launches !== undefined,
    DAVIT_TOKENS_TABLE: needs.tokens !== undefined,
    DAVIT_JOBS_TABLE: needs.jobs !== undefined || needs.slots !== undefined,
    DAVIT_CLUSTERS_TABLE: needs.clusters !== undefined,
    DAVIT_STATE_MACHINE_ARN: needs.executions !== undefined,
    DAVIT_FUNCTIONS: needs.invokes !== undefined,
    DAVIT_INSTALLATION_ID: needs.runners === true,
    DAVIT_CREDENTIAL_KEY_SECRET: needs.secrets?.includes('credentialKey') === true,
    DAVIT_PUBLIC_URL: needs.publicUrl === true,
    DAVIT_EVENT_BUS: needs.events === true,
    POWERTOOLS_SERVICE_NAME: true,
  };
  return Object.keys(given)
    .filter(isEnvironmentVariable)
    .filter((name) => given[name]);
}

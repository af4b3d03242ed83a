import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { launchesByStatusIndex, standbyIndex, waitingJobsIndex } from '../../adapters/aws/table-definitions.ts';
import { ciCredentialSecrets, isPolled, traitsOf } from '../../core/ci/ci-systems.ts';
import type { Config, EksAccess } from '../../core/config/config.ts';
import type { EnvironmentVariable } from '../../runtime/environment.ts';
import type { FunctionName, InvokedFunction } from '../../runtime/function-settings.ts';
import { bundledConfigFile } from '../bundling.ts';
import {
  environmentNames,
  type FunctionPermissions,
  functionPermissions,
  slotActions,
} from '../function-permissions.ts';
import { keyStatements } from './key-statements.ts';
import { secretArnPattern } from './secret-arn-pattern.ts';

/** Every resource that a function may get permissions for. */
export interface Resources {
  config: Config;
  /** Encrypts what the functions read and write; undefined: keys of AWS. */
  encryptionKey: IKey | undefined;
  launchesTable: Table;
  tokensTable: Table;
  jobsTable: Table;
  clustersTable: Table;
  credentialKey: Secret;
  stateMachine: StateMachine;
  functionOf: (name: InvokedFunction) => IFunction;
  /** 8 of 0-9 and a-f, of this davit alone. */
  installationId: string;
  eventBus: Pick<IEventBus, 'eventBusArn'>;
  publicUrl: string;
  /** The name of this davit in logs and metrics. */
  serviceName: string;
}

/**
 * Gives a function the environment that it needs. Allows its role exactly the actions that it needs on the resources of
 * that environment.
 */
export function grantPermissions(lambda: LambdaFunction, needs: FunctionPermissions, resources: Resources): void {
  const values = environmentOf(needs, resources);
  for (const name of environmentNames(needs)) lambda.addEnvironment(name, values[name]);
  const { encryptionKey } = resources;
  const statements = [
    ...statementsOf(lambda, needs, resources),
    ...(encryptionKey === undefined ? [] : keyStatements(lambda, encryptionKey, needs)),
  ];
  for (const statement of statements) lambda.addToRolePolicy(statement);
}

/** Lists the AWS services that functions call, by their names in VPC endpoints. */
export function servicesOf(names: readonly FunctionName[], config: Config): string[] {
  const called = names
    .map((name) => functionPermissions[name])
    .flatMap(({ launches, tokens, jobs, clusters, secrets = [], executions, events, invokes }) => [
      ...([launches, tokens, jobs, clusters].every((table) => table === undefined) ? [] : ['dynamodb']),
      ...(secrets.length === 0 ? [] : ['secretsmanager']),
      ...(secrets.includes('clusters') && describedClusters(config).length > 0 ? ['eks'] : []),
      ...(executions === undefined ? [] : ['states']),
      ...(invokes === undefined ? [] : ['lambda']),
      ...(events === undefined ? [] : ['events']),
    ]);
  return [...new Set(called)];
}

function environmentOf(
  { invokes = [] }: FunctionPermissions,
  resources: Resources,
): Record<EnvironmentVariable, string> {
  return {
    DAVIT_CONFIG_FILE: `/var/task/${bundledConfigFile}`,
    DAVIT_LAUNCHES_TABLE: resources.launchesTable.tableName,
    DAVIT_TOKENS_TABLE: resources.tokensTable.tableName,
    DAVIT_JOBS_TABLE: resources.jobsTable.tableName,
    DAVIT_CLUSTERS_TABLE: resources.clustersTable.tableName,
    DAVIT_STATE_MACHINE_ARN: resources.stateMachine.stateMachineArn,
    DAVIT_FUNCTIONS: JSON.stringify(
      Object.fromEntries(invokes.map((name) => [name, resources.functionOf(name).functionName])),
    ),
    DAVIT_INSTALLATION_ID: resources.installationId,
    DAVIT_CREDENTIAL_KEY_SECRET: resources.credentialKey.secretArn,
    DAVIT_PUBLIC_URL: resources.publicUrl,
    DAVIT_EVENT_BUS: resources.eventBus.eventBusArn,
    POWERTOOLS_SERVICE_NAME: resources.serviceName,
  };
}

function statementsOf(lambda: LambdaFunction, needs: FunctionPermissions, resources: Resources): PolicyStatement[] {
  const { launchesTable, tokensTable, jobsTable, clustersTable, stateMachine } = resources;
  const { launches = [], jobs = [], executions = [], invokes = [] } = needs;
  const execution = Stack.of(lambda).formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${stateMachine.stateMachineName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return [
    ...allow(
      'dynamodb',
      launches.filter((action) => !action.startsWith('Query')),
      [launchesTable.tableArn],
    ),
    ...allow('dynamodb', launches.includes('QueryStandby') ? ['Query'] : [], [indexOf(launchesTable, standbyIndex)]),
    ...allow('dynamodb', launches.includes('Query') ? ['Query'] : [], [indexOf(launchesTable, launchesByStatusIndex)]),
    ...allow('dynamodb', needs.tokens ?? [], [tokensTable.tableArn]),
    ...allow(
      'dynamodb',
      jobs.filter((action) => action !== 'QueryIndex'),
      [jobsTable.tableArn],
    ),
    ...slotStatements(needs, jobsTable.tableArn),
    ...allow('dynamodb', jobs.includes('QueryIndex') ? ['Query'] : [], [indexOf(jobsTable, waitingJobsIndex)]),
    ...allow('dynamodb', needs.clusters ?? [], [clustersTable.tableArn]),
    ...allow('secretsmanager', ['GetSecretValue'], secretArns(lambda, needs, resources)),
    ...allow(
      'states',
      executions.filter((action) => ofMachine.has(action)),
      [stateMachine.stateMachineArn],
    ),
    ...allow(
      'states',
      executions.filter((action) => !ofMachine.has(action)),
      [execution],
    ),
    ...invokes.flatMap((name) => allow('lambda', ['InvokeFunction'], [resources.functionOf(name).functionArn])),
    ...allow('eks', needs.secrets?.includes('clusters') ? ['DescribeCluster'] : [], describedArns(lambda, resources)),
    ...allow('events', needs.events ? ['PutEvents'] : [], [resources.eventBus.eventBusArn]),
  ];
}

/** Lists the EKS clusters whose API server is not in davit.yaml: davit asks EKS for it. */
function describedClusters({ clusters }: Config): EksAccess[] {
  return clusters.flatMap((cluster) => ('eks' in cluster && cluster.eks.server === undefined ? [cluster.eks] : []));
}

function describedArns(lambda: LambdaFunction, { config }: Resources): string[] {
  return describedClusters(config).map(({ clusterName, region }) =>
    Stack.of(lambda).formatArn({
      service: 'eks',
      resource: 'cluster',
      resourceName: clusterName,
      ...(region === undefined ? {} : { region }),
    }),
  );
}

/** The actions on the state machine itself; the others are on its executions. */
const ofMachine: ReadonlySet<string> = new Set(['StartExecution', 'ListExecutions']);

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html */
function slotStatements({ slots }: FunctionPermissions, jobsTableArn: string): PolicyStatement[] {
  if (slots === undefined) return [];
  const actions = slots.flatMap((use) => slotActions[use]).map((action) => `dynamodb:${action}`);
  const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['slots/*'] } };
  return [new PolicyStatement({ actions, resources: [jobsTableArn], conditions })];
}

/** @param names of the service's actions; none, or no resources, are no statement */
function allow(service: string, names: readonly string[], resources: string[]): PolicyStatement[] {
  if (names.length === 0 || resources.length === 0) return [];
  return [new PolicyStatement({ actions: names.map((name) => `${service}:${name}`), resources })];
}

function indexOf({ tableArn }: Table, index: string): string {
  return `${tableArn}/index/${index}`;
}

function secretArns(lambda: LambdaFunction, { secrets = [] }: FunctionPermissions, resources: Resources): string[] {
  const { clusters, ciSystems } = resources.config;
  const credentialsOf = (systems: Config['ciSystems']) =>
    systems.flatMap(ciCredentialSecrets).map((secret) => secretArnPattern(Stack.of(lambda), secret));
  const arnsOf = {
    clusters: () =>
      clusters
        .filter((cluster) => 'kubeconfigSecret' in cluster)
        .map(({ kubeconfigSecret }) => secretArnPattern(Stack.of(lambda), kubeconfigSecret)),
    webhooks: () =>
      ciSystems
        .flatMap(({ webhookSecret }) => webhookSecret ?? [])
        .map((secret) => secretArnPattern(Stack.of(lambda), secret)),
    ciCredentials: () => credentialsOf(ciSystems),
    polledCredentials: () => credentialsOf(ciSystems.filter(isPolled)),
    statusCredentials: () => credentialsOf(ciSystems.filter(({ provider }) => traitsOf(provider).hasCommitStatuses)),
    credentialKey: () => [resources.credentialKey.secretArn],
  };
  return [...new Set(secrets.flatMap((secret) => arnsOf[secret]()))];
}

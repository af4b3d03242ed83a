import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { launchesTable, tokensTable } from '../../functions/adapters/aws/table-definitions.ts';
import type { Config } from '../../functions/domain/config.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { functionNeeds } from '../function-needs.ts';
import { DavitFunction, type DavitFunctionProps } from './davit-function.ts';
import { davitTable } from './davit-table.ts';
import { LaunchApi } from './launch-api.ts';
import { launchStateMachine } from './launch-state-machine.ts';
import { meetNeeds } from './meet-needs.ts';
import { cleanUpAfterEndings, sweepRegularly } from './safety-nets.ts';

/** What a davit is made of. */
export interface DavitProps {
  /** davit.yaml, read and checked. */
  config: Config;
  /**
   * What becomes of the tables and the logs when the stack is deleted. Tables that are retained are protected from
   * deletion as well; take DESTROY for a stack that is thrown away.
   *
   * @default RemovalPolicy.RETAIN
   */
  removalPolicy?: RemovalPolicy;
  /** @default RetentionDays.ONE_MONTH */
  logRetention?: RetentionDays;
  /**
   * Whether the functions and the state machine send X-Ray traces.
   *
   * @default false
   */
  tracing?: boolean;
}

/**
 * All of davit on AWS: an HTTP API, one Lambda a step, the state machine that runs them in the one order, and the two
 * tables that it keeps its word in.
 */
export class Davit extends Construct {
  readonly api: LaunchApi;
  readonly stateMachine: StateMachine;
  readonly launchesTable: Table;
  readonly tokensTable: Table;
  /** The key that agents' credentials are signed with; generated, and read by two functions. */
  readonly credentialKey: Secret;
  readonly functions: Readonly<Record<FunctionName, DavitFunction>>;
  /** Clean-ups that failed whenever Lambda tried: something may be left in a cluster. */
  readonly failedCleanUps: Queue;
  /** What logs and metrics call this davit: the construct's path, which no other one in the app has. */
  readonly serviceName: string;

  constructor(scope: Construct, id: string, props: DavitProps) {
    super(scope, id);
    this.serviceName = this.node.path;
    const { config, tracing = false } = props;
    const { removalPolicy = RemovalPolicy.RETAIN, logRetention = RetentionDays.ONE_MONTH } = props;
    this.launchesTable = davitTable(this, 'LaunchesTable', launchesTable, removalPolicy);
    this.tokensTable = davitTable(this, 'TokensTable', tokensTable, removalPolicy);
    this.credentialKey = new Secret(this, 'CredentialKey', {
      description: 'davit: signs the credentials of agents',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    this.functions = this.#makeFunctions({ config, tracing, removalPolicy, logRetention });
    this.stateMachine = launchStateMachine(this, 'StateMachine', { functions: this.functions, tracing });
    this.api = new LaunchApi(this, 'Api', { functions: this.functions, removalPolicy, logRetention });
    this.failedCleanUps = this.#keepFailedCleanUps();
    cleanUpAfterEndings(this, { stateMachine: this.stateMachine, cleanUp: this.functions['clean-up'].lambda });
    sweepRegularly(this, this.functions.sweep.lambda);
    this.#meetAllNeeds(config);
  }

  /** Allows a CI server or a person to ask for launches, to see them and to end them: `/launches` of the API. */
  grantLaunches(grantee: IGrantable): void {
    this.api.grantLaunches(grantee);
  }

  #makeFunctions(props: Omit<DavitFunctionProps, 'functionName'>): Record<FunctionName, DavitFunction> {
    const make = (id: string, functionName: FunctionName) => new DavitFunction(this, id, { ...props, functionName });
    return {
      webhook: make('Webhook', 'webhook'),
      launches: make('Launches', 'launches'),
      connect: make('Connect', 'connect'),
      'create-service': make('CreateService', 'create-service'),
      'poll-node-port': make('PollNodePort', 'poll-node-port'),
      'create-pod': make('CreatePod', 'create-pod'),
      'poll-host-ip': make('PollHostIP', 'poll-host-ip'),
      'publish-token': make('PublishToken', 'publish-token'),
      'await-agent': make('AwaitAgent', 'await-agent'),
      relaunch: make('Relaunch', 'relaunch'),
      'clean-up': make('CleanUp', 'clean-up'),
      sweep: make('Sweep', 'sweep'),
    };
  }

  /** A clean-up that a webhook asks for is queued by Lambda, which tries it three times: after that it is kept here. */
  #keepFailedCleanUps(): Queue {
    const queue = new Queue(this, 'FailedCleanUps', { retentionPeriod: Duration.days(14), enforceSSL: true });
    this.functions['clean-up'].lambda.configureAsyncInvoke({ retryAttempts: 2, onFailure: new SqsDestination(queue) });
    return queue;
  }

  #meetAllNeeds(config: Config): void {
    const resources = {
      config,
      launchesTable: this.launchesTable,
      tokensTable: this.tokensTable,
      credentialKey: this.credentialKey,
      stateMachine: this.stateMachine,
      cleanUp: this.functions['clean-up'].lambda,
      publicUrl: this.api.url,
      serviceName: this.serviceName,
    };
    for (const { functionName, lambda } of Object.values(this.functions)) {
      meetNeeds(lambda, functionNeeds[functionName], resources);
    }
  }
}

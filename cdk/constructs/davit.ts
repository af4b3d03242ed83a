import { RemovalPolicy } from 'aws-cdk-lib';
import type { Dashboard, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { EventBus, type IEventBus, type Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { launchesTable, tokensTable } from '../../functions/adapters/aws/table-definitions.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { type MetricName, metricDefinitions, metricNamespace } from '../../functions/metrics/metric-definitions.ts';
import { functionNames, functionNeeds, reachesClusters } from '../function-needs.ts';
import { DavitAlarms } from '../watching/alarms.ts';
import { davitDashboard } from '../watching/dashboard.ts';
import { announceChanges } from './announcements.ts';
import { DavitFunction } from './davit-function.ts';
import type { DavitProps } from './davit-props.ts';
import { davitTable } from './davit-table.ts';
import { type EksClusterInApp, EksMembership } from './eks-clusters.ts';
import { undeliveredQueue } from './failure-queue.ts';
import { checkEndpoints, type FunctionNetwork } from './function-network.ts';
import { LaunchApi } from './launch-api.ts';
import { launchStateMachine } from './launch-state-machine.ts';
import { meetNeeds, servicesOf } from './meet-needs.ts';
import { cleanUpAfterEndings, keepFailedCleanUps, sweepRegularly } from './safety-nets.ts';

export type { DavitProps } from './davit-props.ts';

/** What every resource of a davit is made with. */
type Keeping = Required<Pick<DavitProps, 'removalPolicy' | 'logRetention' | 'tracing'>>;

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
  /** What EventBridge could not hand to a function: ends of executions, and sweeps. */
  readonly undelivered: Queue;
  /** Cleans up after executions that were stopped by hand, timed out, or failed while they cleaned up. */
  readonly cleanUpRule: Rule;
  readonly sweepSchedule: CfnSchedule;
  /** Where events of launches and sweeps are sent. */
  readonly eventBus: Pick<IEventBus, 'eventBusArn'>;
  /** Changes of launches that were not announced within a day: their places in the streams. */
  readonly failedAnnouncements: Queue;
  /** Where the functions that reach clusters run; undefined outside of any VPC. Clusters have to let them in at 443. */
  readonly network: Required<FunctionNetwork> | undefined;
  /** Davit's places in the clusters of the app, by the clusters' names in davit.yaml. */
  readonly memberships: Readonly<Record<string, EksMembership>>;
  /** Undefined when they are turned off. */
  readonly alarms: DavitAlarms | undefined;
  /** Undefined when there is none. */
  readonly dashboard: Dashboard | undefined;
  /** What logs and metrics call this davit: the construct's path, which no other one in the app has. */
  readonly serviceName: string;

  constructor(scope: Construct, id: string, props: DavitProps) {
    super(scope, id);
    this.serviceName = this.node.path;
    const { removalPolicy = RemovalPolicy.RETAIN, logRetention = RetentionDays.ONE_MONTH, tracing = true } = props;
    const keeping: Keeping = { removalPolicy, logRetention, tracing };
    const { encryptionKey } = props;
    this.launchesTable = davitTable(this, 'LaunchesTable', launchesTable, { removalPolicy, encryptionKey });
    this.tokensTable = davitTable(this, 'TokensTable', tokensTable, { removalPolicy, encryptionKey });
    this.credentialKey = this.#makeCredentialKey(encryptionKey);
    this.network = this.#makeNetwork(props);
    this.functions = this.#makeFunctions(props, keeping);
    this.stateMachine = launchStateMachine(this, 'StateMachine', { functions: this.functions, ...keeping });
    const { throttle, customDomain } = props;
    this.api = new LaunchApi(this, 'Api', { functions: this.functions, throttle, customDomain, ...keeping });
    const cleanUp = this.functions['clean-up'].lambda;
    this.failedCleanUps = keepFailedCleanUps(this, cleanUp, encryptionKey);
    const undelivered = undeliveredQueue(this, encryptionKey);
    this.undelivered = undelivered;
    this.cleanUpRule = cleanUpAfterEndings(this, { stateMachine: this.stateMachine, cleanUp, undelivered });
    this.sweepSchedule = sweepRegularly(this, this.functions.sweep.lambda, undelivered);
    this.eventBus = props.eventBus ?? EventBus.fromEventBusName(this, 'DefaultBus', 'default');
    this.failedAnnouncements = announceChanges(this, {
      announce: this.functions.announce.lambda,
      launchesTable: this.launchesTable,
      tokensTable: this.tokensTable,
      encryptionKey,
    });
    this.#meetAllNeeds(props);
    this.memberships = this.#joinClusters(props);
    const { alarms = {}, dashboard = true } = props;
    this.alarms = alarms === false ? undefined : new DavitAlarms(this, 'Alarms', alarms);
    this.dashboard = dashboard ? davitDashboard(this) : undefined;
  }

  /** Allows a CI server or a person to ask for launches: `POST /launches`. */
  grantLaunch(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee, 'POST');
  }

  /** Allows to see launches: `GET /launches` and `GET /launches/{launchId}`. */
  grantRead(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee, 'GET');
  }

  /** Allows to end launches: `DELETE /launches/{launchId}`. */
  grantTerminate(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee, 'DELETE');
  }

  /**
   * One of davit's metrics, of this davit.
   *
   * @param dimensions one of the sets that the metric is put under, see docs/metrics.md @default all of the deployment
   */
  metric(metricName: MetricName, dimensions: Readonly<Record<string, string>> = {}, options?: MetricOptions): Metric {
    return new Metric({
      namespace: metricNamespace,
      metricName,
      dimensionsMap: { service: this.serviceName, ...dimensions },
      statistic: metricDefinitions[metricName].unit === 'Count' ? Stats.SUM : Stats.p(90),
      ...options,
    });
  }

  /** How many launches came to this: `connected`, or `failed` or `terminated` before. @default the sum of 5 minutes */
  metricLaunches(outcome: 'connected' | 'failed' | 'terminated', options?: MetricOptions): Metric {
    return this.metric('Launches', { outcome }, options);
  }

  /** How long launches took until their agent had connected. @default the 90th percentile of 5 minutes */
  metricTimeToAgent(options?: MetricOptions): Metric {
    return this.metric('TimeToAgent', {}, options);
  }

  /** Services and Pods that only the sweep removed. @default the sum of 5 minutes */
  metricSweepLeaks(options?: MetricOptions): Metric {
    return this.metric('SweepLeaks', {}, options);
  }

  /** The roles of the functions that reach clusters: those that access entries on EKS are for. */
  get clusterRoles(): Readonly<Record<string, IRole>> {
    return Object.fromEntries(
      Object.values(this.functions)
        .filter(({ functionName }) => reachesClusters(functionName))
        .map(({ functionName, role }) => [functionName, role]),
    );
  }

  #makeNetwork({ vpc, vpcSubnets = {}, securityGroups, config }: DavitProps): Required<FunctionNetwork> | undefined {
    if (vpc === undefined) return undefined;
    const own = () => new SecurityGroup(this, 'SecurityGroup', { vpc, description: 'davit: what reaches clusters' });
    const network = { vpc, vpcSubnets, securityGroups: securityGroups ?? [own()] };
    checkEndpoints(this, network, servicesOf(functionNames.filter(reachesClusters), config));
    return network;
  }

  #joinClusters({ config, clusters = {}, agentLimits: limits }: DavitProps): Record<string, EksMembership> {
    const joining = new Construct(this, 'Clusters');
    const roles = this.clusterRoles;
    const securityGroups = this.network?.securityGroups ?? [];
    const join = ([name, cluster]: [string, EksClusterInApp]) =>
      [name, new EksMembership(joining, name, cluster, { config, limits, roles, securityGroups })] as const;
    return Object.fromEntries(Object.entries(clusters).map(join));
  }

  #makeCredentialKey(encryptionKey: IKey | undefined): Secret {
    return new Secret(this, 'CredentialKey', {
      description: 'davit: signs the credentials of agents',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(encryptionKey === undefined ? {} : { encryptionKey }),
    });
  }

  #makeFunctions(props: DavitProps, keeping: Keeping): Record<FunctionName, DavitFunction> {
    const { config, reservedConcurrency = {} } = props;
    const { network } = this;
    const make = (id: string, functionName: FunctionName) => {
      const reserved = reservedConcurrency[functionName];
      return new DavitFunction(this, id, {
        functionName,
        config,
        ...keeping,
        ...(reachesClusters(functionName) && network !== undefined ? { network } : {}),
        ...(reserved === undefined ? {} : { reservedConcurrency: reserved }),
      });
    };
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
      announce: make('Announce', 'announce'),
    };
  }

  #meetAllNeeds({ config, encryptionKey }: DavitProps): void {
    const resources = {
      config,
      encryptionKey,
      launchesTable: this.launchesTable,
      tokensTable: this.tokensTable,
      credentialKey: this.credentialKey,
      stateMachine: this.stateMachine,
      cleanUp: this.functions['clean-up'].lambda,
      publicUrl: this.api.url,
      eventBus: this.eventBus,
      serviceName: this.serviceName,
    };
    for (const { functionName, lambda } of Object.values(this.functions)) {
      meetNeeds(lambda, functionNeeds[functionName], resources);
    }
  }
}

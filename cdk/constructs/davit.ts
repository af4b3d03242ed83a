import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { EventBus, type IEventBus, type Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IConstruct } from 'constructs';
import { clustersTable, jobsTable, launchesTable, tokensTable } from '../../adapters/aws/table-definitions.ts';
import { isPolled } from '../../core/ci/ci-systems.ts';
import { isReconciled } from '../../core/ci/is-reconciled.ts';
import {
  type FunctionName,
  type InvokedFunction,
  pollIntervalMinutes,
  probeIntervalMinutes,
  reconcileIntervalMinutes,
  sweepIntervalMinutes,
} from '../../runtime/function-settings.ts';
import type { MetricName } from '../../runtime/metrics/metric-definitions.ts';
import { functionNames, functionPermissions, reachesClusters, runsInVpc } from '../function-permissions.ts';
import { DavitAlarms } from '../monitoring/alarms.ts';
import { DavitDashboard } from '../monitoring/dashboard.ts';
import { DavitMetrics } from '../monitoring/davit-metrics.ts';
import type { Monitored } from '../monitoring/monitored.ts';
import { CleanUpTriggers } from './clean-up-triggers.ts';
import { DavitFunction } from './davit-function.ts';
import type { DavitProps } from './davit-props.ts';
import { DavitTable } from './davit-table.ts';
import { type EksClusterInApp, EksMembership } from './eks-clusters.ts';
import { EventPublishing } from './event-publishing.ts';
import { FailureQueue } from './failure-queue.ts';
import { checkEndpoints, type FunctionNetwork } from './function-network.ts';
import { FunctionSchedule } from './function-schedule.ts';
import { grantPermissions, servicesOf } from './grant-permissions.ts';
import type { Keeping } from './keeping.ts';
import { serviceStatements } from './key-statements.ts';
import { LaunchApi } from './launch-api.ts';
import { LaunchStateMachine } from './launch-state-machine.ts';
import { checkedPublicUrl } from './public-url.ts';

export type { DavitProps } from './davit-props.ts';

/**
 * All of davit on AWS: an HTTP API, a Lambda for each step, the state machine that runs the steps in their order, and
 * the tables of the launches, the tokens, the jobs and the clusters.
 */
export class Davit extends Construct implements Monitored {
  readonly api: LaunchApi;
  /** The URL for agents and webhooks: `publicUrl` if given, otherwise the API's own URL. */
  readonly publicUrl: string;
  readonly stateMachine: StateMachine;
  readonly launchesTable: DavitTable;
  readonly tokensTable: DavitTable;
  readonly jobsTable: DavitTable;
  readonly clustersTable: DavitTable;
  /** The key that signs the credentials of agents. Secrets Manager generates it, and two functions read it. */
  readonly credentialKey: Secret;
  readonly functions: Readonly<Record<FunctionName, DavitFunction>>;
  /** Clean-ups that failed in each of Lambda's three attempts: something may be left in a cluster. */
  readonly failedCleanUps: FailureQueue;
  /** Events that EventBridge could not pass to a function: ends of executions, sweeps, probes and reconciles. */
  readonly undelivered: FailureQueue;
  /** Cleans up after executions that were stopped by hand, timed out, or failed while they cleaned up. */
  readonly cleanUpRule: Rule;
  readonly sweepSchedule: CfnSchedule;
  readonly probeSchedule: CfnSchedule;
  /** Undefined in a davit that acts in no CI system. */
  readonly reconcileSchedule: CfnSchedule | undefined;
  /** The schedule of the polls; undefined if every CI system sends webhooks. */
  readonly pollSchedule: CfnSchedule | undefined;
  /** The bus for events of launches and sweeps. */
  readonly eventBus: Pick<IEventBus, 'eventBusArn'>;
  /** The stream positions of changes that davit did not publish within 23 hours. */
  readonly unpublishedEvents: FailureQueue;
  /**
   * The network of the functions that reach clusters or CI systems; undefined outside of any VPC. Clusters must allow its
   * traffic at 443.
   */
  readonly network: Required<FunctionNetwork> | undefined;
  /** Davit's places in the clusters of the app, by the clusters' names in davit.yaml. */
  readonly memberships: Readonly<Record<string, EksMembership>>;
  readonly metrics: DavitMetrics;
  /** Undefined when they are turned off. */
  readonly alarms: DavitAlarms | undefined;
  /** Undefined when there is none. */
  readonly dashboard: DavitDashboard | undefined;

  constructor(scope: Construct, id: string, props: DavitProps) {
    super(scope, id);
    checkAlone(this);
    const { removalPolicy = RemovalPolicy.RETAIN, logRetention = RetentionDays.ONE_MONTH, tracing = true } = props;
    const { encryptionKey, throttle, customDomain, publicUrl, alarms = {}, dashboard = true } = props;
    const keeping: Keeping = { removalPolicy, logRetention, encryptionKey };
    // The construct's path: no other davit in the app has it.
    this.metrics = new DavitMetrics(this.node.path);
    for (const statement of serviceStatements(this)) encryptionKey?.addToResourcePolicy(statement);
    this.launchesTable = new DavitTable(this, 'LaunchesTable', launchesTable, keeping);
    this.tokensTable = new DavitTable(this, 'TokensTable', tokensTable, keeping);
    this.jobsTable = new DavitTable(this, 'JobsTable', jobsTable, keeping);
    this.clustersTable = new DavitTable(this, 'ClustersTable', clustersTable, keeping);
    this.credentialKey = this.#makeCredentialKey(keeping);
    this.network = this.#makeNetwork(props);
    this.functions = this.#makeFunctions(props, { ...keeping, tracing });
    const { functions } = this;
    this.stateMachine = new LaunchStateMachine(this, 'StateMachine', { functions, tracing, ...keeping }).stateMachine;
    this.api = new LaunchApi(this, 'Api', { functions, throttle, customDomain, ...keeping });
    this.publicUrl = publicUrl === undefined ? this.api.url : checkedPublicUrl(publicUrl);
    this.undelivered = new FailureQueue(this, 'Undelivered', keeping);
    const cleanUps = new CleanUpTriggers(this, 'CleanUps', {
      stateMachine: this.stateMachine,
      cleanUp: functions['clean-up'].lambda,
      undelivered: this.undelivered,
      encryptionKey,
    });
    this.cleanUpRule = cleanUps.rule;
    this.failedCleanUps = cleanUps.failedCleanUps;
    const schedule = (part: string, target: FunctionName, intervalMinutes: number, name: string, does: string) => {
      const invoked = { target: functions[target].lambda, undelivered: this.undelivered, encryptionKey };
      return new FunctionSchedule(this, part, { ...invoked, intervalMinutes, name, does }).schedule;
    };
    const sweeps = 'finds and mends what was left behind';
    this.sweepSchedule = schedule('Sweeps', 'sweep', sweepIntervalMinutes, 'the sweep', sweeps);
    const probes = 'looks whether the clusters are connected';
    this.probeSchedule = schedule('Probes', 'probe', probeIntervalMinutes, 'the probe', probes);
    const reconciles = "compares the CI systems' lists with the launches";
    this.reconcileSchedule = isReconciled(props.config)
      ? schedule('Reconciles', 'reconcile', reconcileIntervalMinutes, 'reconcile', reconciles)
      : undefined;
    const polls = 'polls the CI systems that send no webhooks';
    this.pollSchedule = props.config.ciSystems.some(isPolled)
      ? schedule('Polls', 'poll-ci', pollIntervalMinutes, 'the polls', polls)
      : undefined;
    this.eventBus = props.eventBus ?? EventBus.fromEventBusName(this, 'DefaultBus', 'default');
    this.unpublishedEvents = new EventPublishing(this, 'Events', {
      publisher: functions['publish-events'].lambda,
      launchesTable: this.launchesTable,
      tokensTable: this.tokensTable,
      clustersTable: this.clustersTable,
      encryptionKey,
    }).unpublishedEvents;
    this.#grantPermissions(props);
    this.memberships = this.#joinClusters(props);
    this.alarms =
      alarms === false ? undefined : new DavitAlarms(this, 'Alarms', { monitored: this, encryptionKey, ...alarms });
    this.dashboard = dashboard ? new DavitDashboard(this, 'Dashboard', this) : undefined;
  }

  /** Allows a CI server or a person to request launches: `POST /launches`. */
  grantLaunch(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee, 'POST');
  }

  /** Allows a caller to read launches, jobs and clusters: `GET` of `/launches`, `/jobs`, `/clusters` and below. */
  grantRead(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee, 'GET');
  }

  /** Allows a caller to end launches: `DELETE /launches/{launchId}`. */
  grantTerminate(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee, 'DELETE');
  }

  /**
   * One metric of this davit.
   *
   * @param dimensions one of the metric's sets of dimensions, see docs/metrics.md @default the whole deployment
   */
  metric(metricName: MetricName, dimensions: Readonly<Record<string, string>> = {}, options?: MetricOptions): Metric {
    return this.metrics.metric(metricName, dimensions, options);
  }

  /** How many launches reached an outcome: they `connected`, or `failed` or were `terminated` before. @default the sum of 5 minutes */
  metricLaunches(outcome: 'connected' | 'failed' | 'terminated', options?: MetricOptions): Metric {
    return this.metrics.launches(outcome, options);
  }

  /** How long launches took until their agent had connected. @default the 90th percentile of 5 minutes */
  metricTimeToAgent(options?: MetricOptions): Metric {
    return this.metrics.timeToAgent(options);
  }

  /** The Services and Pods that only the sweep removed. @default the sum of 5 minutes */
  metricSweepLeaks(options?: MetricOptions): Metric {
    return this.metrics.sweepLeaks(options);
  }

  /** The roles of the functions that reach clusters: each needs an access entry on EKS. */
  get clusterRoles(): Readonly<Record<string, IRole>> {
    return Object.fromEntries(
      Object.values(this.functions)
        .filter(({ functionName }) => reachesClusters(functionName))
        .map(({ functionName, role }) => [functionName, role]),
    );
  }

  #makeNetwork({ vpc, vpcSubnets = {}, securityGroups, config }: DavitProps): Required<FunctionNetwork> | undefined {
    if (vpc === undefined) return undefined;
    const own = () =>
      new SecurityGroup(this, 'SecurityGroup', { vpc, description: 'davit: functions that reach clusters' });
    const network = { vpc, vpcSubnets, securityGroups: securityGroups ?? [own()] };
    checkEndpoints(this, network, servicesOf(functionNames.filter(runsInVpc), config));
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

  #makeCredentialKey({ encryptionKey }: Keeping): Secret {
    return new Secret(this, 'CredentialKey', {
      description: 'davit: signs the credentials of agents',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(encryptionKey === undefined ? {} : { encryptionKey }),
    });
  }

  #makeFunctions(props: DavitProps, made: Keeping & { tracing: boolean }): Record<FunctionName, DavitFunction> {
    const { config, reservedConcurrency = {}, functionCode: makeCode } = props;
    const { network } = this;
    const make = (id: string, functionName: FunctionName) => {
      const reserved = reservedConcurrency[functionName];
      return new DavitFunction(this, id, {
        functionName,
        config,
        ...made,
        ...(runsInVpc(functionName) && network !== undefined ? { network } : {}),
        ...(reserved === undefined ? {} : { reservedConcurrency: reserved }),
        ...(makeCode === undefined ? {} : { makeCode }),
      });
    };
    return {
      webhook: make('Webhook', 'webhook'),
      launches: make('Launches', 'launches'),
      clusters: make('ClusterViews', 'clusters'),
      jobs: make('JobViews', 'jobs'),
      connect: make('Connect', 'connect'),
      'describe-api': make('DescribeApi', 'describe-api'),
      'register-runner': make('RegisterRunner', 'register-runner'),
      'retire-runner': make('RetireRunner', 'retire-runner'),
      'report-to-ci': make('ReportToCi', 'report-to-ci'),
      admit: make('Admit', 'admit'),
      'create-service': make('CreateService', 'create-service'),
      'poll-node-port': make('PollNodePort', 'poll-node-port'),
      'create-pod': make('CreatePod', 'create-pod'),
      'poll-host-ip': make('PollHostIP', 'poll-host-ip'),
      'publish-token': make('PublishToken', 'publish-token'),
      relaunch: make('Relaunch', 'relaunch'),
      'clean-up': make('CleanUp', 'clean-up'),
      sweep: make('Sweep', 'sweep'),
      reconcile: make('Reconcile', 'reconcile'),
      'poll-ci': make('PollCi', 'poll-ci'),
      probe: make('Probe', 'probe'),
      'publish-events': make('PublishEvents', 'publish-events'),
    };
  }

  #grantPermissions({ config, encryptionKey }: DavitProps): void {
    const resources = {
      config,
      encryptionKey,
      launchesTable: this.launchesTable,
      tokensTable: this.tokensTable,
      jobsTable: this.jobsTable,
      clustersTable: this.clustersTable,
      credentialKey: this.credentialKey,
      stateMachine: this.stateMachine,
      functionOf: (name: InvokedFunction) => this.functions[name].lambda,
      installationId: installationIdOf(this),
      publicUrl: this.publicUrl,
      eventBus: this.eventBus,
      serviceName: this.metrics.serviceName,
    };
    for (const { functionName, lambda } of Object.values(this.functions)) {
      grantPermissions(lambda, functionPermissions[functionName], resources);
    }
  }
}

/** @throws Error when the stack has another davit: both would have one installation id, and remove each other's runners */
function checkAlone(davit: Davit): void {
  const stack = Stack.of(davit);
  const isOther = (construct: IConstruct) => construct instanceof Davit && construct !== davit;
  const other = stack.node.findAll().find((construct) => isOther(construct) && Stack.of(construct) === stack);
  if (other === undefined) return;
  throw new Error(
    `${davit.node.path}: the stack has a davit already, ${other.node.path}; give each a stack of its own`,
  );
}

/**
 * Takes the first group of the UUID that ends the stack's id: no two stacks share it, and a stack keeps it for life.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/pseudo-parameter-reference.html
 */
function installationIdOf(scope: Construct): string {
  const uuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return Fn.select(0, Fn.split('-', uuid));
}

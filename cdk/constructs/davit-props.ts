import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ThrottleSettings } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Config } from '../../functions/domain/config.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import type { AgentNamespaceLimits } from '../rbac/agent-namespace.ts';
import type { AlarmOptions } from '../watching/alarms.ts';
import type { CustomDomain } from './custom-domain.ts';
import type { EksClusterInApp } from './eks-clusters.ts';
import type { FunctionNetwork } from './function-network.ts';

/** What a davit is made of. */
export interface DavitProps extends Partial<FunctionNetwork> {
  /** davit.yaml, read and checked. */
  config: Config;
  /**
   * EKS clusters of the same app, by their names in davit.yaml: the functions' roles are let in, and the agents'
   * namespaces are made, with davit's rights in them. A namespace goes with the stack, and what is in it with the
   * namespace. The clusters' authentication mode has to include the API's access entries. For all other clusters
   * `npm run rbac` prints what they need.
   *
   * @default none
   */
  clusters?: Readonly<Record<string, EksClusterInApp>>;
  /**
   * What the agents' namespaces in those clusters allow.
   *
   * @default the Pod Security level `baseline`, and 100 agents at once in each
   */
  agentLimits?: AgentNamespaceLimits;
  /**
   * What encrypts the tables, the key that signs agents' credentials, and the queues of what failed. The policy of a key
   * that is not of the app has to let `events.amazonaws.com` do `kms:Decrypt` and `kms:GenerateDataKey`.
   *
   * @default keys that AWS owns, or manages for the account
   */
  encryptionKey?: IKey;
  /**
   * Where events of launches and sweeps are sent.
   *
   * @default the account's default bus
   */
  eventBus?: Pick<IEventBus, 'eventBusArn'>;
  /**
   * When alarms go off, and who is told; false turns them off.
   *
   * @default all of docs/alarms.md, with a topic of davit's own
   */
  alarms?: AlarmOptions | false;
  /**
   * Whether there is a dashboard.
   *
   * @default true
   */
  dashboard?: boolean;
  /**
   * The name by which CI systems and agents reach the API. The one that AWS gives it is then turned off.
   *
   * @default the name that AWS gives it
   */
  customDomain?: CustomDomain;
  /**
   * Requests a second and at once, over all routes. An agent asks once a second until its token is out, so a rate of
   * 1000 is a thousand agents that wait at once; it is also as many as an account's Lambda concurrency is by default.
   *
   * @default a rate of 1000, a burst of 2000
   */
  throttle?: ThrottleSettings;
  /**
   * How many of a function run at once, at most and guaranteed. `create-service` and `create-pod` are those whose
   * runaway would hurt a cluster; a launch that finds them busy is repeated by the state machine.
   *
   * @default none: it is taken from the account's 1000, and an account whose limit is small could not be deployed to
   */
  reservedConcurrency?: Partial<Record<FunctionName, number>>;
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
   * Whether the state machine and the functions, but for those that no request leads to, send X-Ray traces.
   *
   * @default true
   */
  tracing?: boolean;
}

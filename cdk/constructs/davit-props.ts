import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ThrottleSettings } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from '../../core/config/config.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import type { AlarmOptions } from '../monitoring/alarms.ts';
import type { AgentNamespaceLimits } from '../rbac/agent-namespace.ts';
import type { CustomDomain } from './custom-domain.ts';
import type { EksClusterInApp } from './eks-clusters.ts';
import type { FunctionNetwork } from './function-network.ts';

/** The properties of a davit. */
export interface DavitProps extends Partial<FunctionNetwork> {
  /** davit.yaml, read and checked. */
  config: Config;
  /**
   * EKS clusters of the same app, by their names in davit.yaml. The construct gives the functions' roles access, and
   * makes the agents' namespaces with davit's rights. When the stack is deleted, each namespace is deleted with
   * everything in it. The clusters' authentication mode must include the API's access entries. For all other clusters,
   * `npx davit rbac` prints the objects that they need.
   *
   * @default none
   */
  clusters?: Readonly<Record<string, EksClusterInApp>>;
  /**
   * The limits of the agents' namespaces in those clusters.
   *
   * @default the Pod Security level `baseline`, and 100 agents at once in each
   */
  agentLimits?: AgentNamespaceLimits;
  /**
   * Encrypts everything that davit stores: the tables, the key that signs agents' credentials, the queues, the topic of
   * the alarms, the logs, the functions' environments, and the schedule's input. If the app owns the key, davit adds the
   * necessary statements to its policy. The policy of any other key must already have them: docs/cdk-app.md lists the
   * statements.
   *
   * @default keys that AWS owns, or manages for the account
   */
  encryptionKey?: IKey;
  /** The bus for events of launches and sweeps. @default the account's default bus */
  eventBus?: Pick<IEventBus, 'eventBusArn'>;
  /**
   * The thresholds of the alarms, and their topic; false turns the alarms off.
   *
   * @default all of docs/alarms.md, with a topic of davit's own
   */
  alarms?: AlarmOptions | false;
  /** Whether the construct makes a dashboard. @default true */
  dashboard?: boolean;
  /** A domain name for the API. It turns off the name that AWS gives the API. @default the name that AWS gives it */
  customDomain?: CustomDomain;
  /**
   * The URL at which agents and CI servers reach the API, where it is not the API's own: that of a CloudFront
   * distribution or another proxy in front of it. It begins with https://. Agents connect there, and the printed webhook
   * URLs begin with it. Callers of /launches still use the API's own URL, because a signature is for one host.
   *
   * @default the API's own URL
   */
  publicUrl?: string;
  /**
   * The limits on requests over all routes: how many a second, and how many at once. An agent asks once a second until
   * its token is published, so a rate of 1000 allows a thousand agents that wait at once. An account's Lambda
   * concurrency is 1000 by default, too.
   *
   * @default a rate of 1000, a burst of 2000
   */
  throttle?: ThrottleSettings;
  /**
   * The reserved concurrency of functions: Lambda guarantees so many runs at once, and allows no more. Only
   * `create-service` and `create-pod` could flood a cluster. When they are busy, the state machine repeats the step.
   *
   * @default none: Lambda takes it from the account's 1000, and an account with a small limit could not be deployed to
   */
  reservedConcurrency?: Partial<Record<FunctionName, number>>;
  /**
   * The code of each function, if something else has uploaded it.
   *
   * @default assets of the CDK, made from the package's bundles
   */
  functionCode?: (scope: Construct, functionName: FunctionName) => Code;
  /**
   * What happens to the tables and the logs when the stack is deleted. Retained tables also have deletion protection.
   * Choose DESTROY for a temporary stack.
   *
   * @default RemovalPolicy.RETAIN
   */
  removalPolicy?: RemovalPolicy;
  /** @default RetentionDays.ONE_MONTH */
  logRetention?: RetentionDays;
  /**
   * Whether the state machine and the functions send X-Ray traces. Functions that no request invokes never do.
   *
   * @default true
   */
  tracing?: boolean;
}

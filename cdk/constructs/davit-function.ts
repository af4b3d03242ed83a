import type { RemovalPolicy } from 'aws-cdk-lib';
import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../../functions/manifest.ts';
import { functionSettings } from '../../functions/manifest.ts';
import type { FunctionCode } from '../bundling.ts';
import { functionCode } from './function-code.ts';
import { type FunctionNetwork, grantAttaching } from './function-network.ts';

/**
 * Nobody's request leads to them: a trace of each sweep and of each batch of changes would lead to no launch, and be paid
 * for. The events that are sent carry the launch's own.
 */
const untraced: readonly FunctionName[] = ['sweep', 'announce'];

/** What a function of davit is made of. */
export interface DavitFunctionProps extends FunctionCode {
  tracing: boolean;
  /** Where it runs; outside of any VPC when not given. */
  network?: FunctionNetwork;
  reservedConcurrency?: number;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
}

/**
 * One Lambda with its log group and its role. The role may write that log and nothing else: none of AWS's managed
 * policies is on it, since the one for logs allows every log group of the account.
 */
export class DavitFunction extends Construct {
  readonly functionName: FunctionName;
  readonly lambda: LambdaFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: DavitFunctionProps) {
    super(scope, id);
    this.functionName = props.functionName;
    const { functionName, network, reservedConcurrency, logRetention, removalPolicy } = props;
    const { timeoutSeconds, memoryMiB } = functionSettings[functionName];
    const logGroup = new LogGroup(this, 'Logs', { retention: logRetention, removalPolicy });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `davit ${functionName}`,
    });
    logGroup.grantWrite(this.role);
    if (network !== undefined) grantAttaching(this.role);

    this.lambda = new LambdaFunction(this, 'Function', {
      description: `davit ${functionName}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: functionCode(props),
      role: this.role,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMiB,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: props.tracing && !untraced.includes(functionName) ? Tracing.ACTIVE : Tracing.DISABLED,
      ...network,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    });
  }
}

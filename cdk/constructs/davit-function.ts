import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type FunctionName, functionSettings } from '../../runtime/function-settings.ts';
import type { FunctionCode } from '../bundling.ts';
import { DavitLogGroup } from './davit-log-group.ts';
import type { DavitProps } from './davit-props.ts';
import { functionCode } from './function-code.ts';
import { type FunctionNetwork, grantAttaching } from './function-network.ts';
import type { Keeping } from './keeping.ts';

/**
 * The functions that no request invokes. A trace of each sweep, reconcile, probe and batch of changes would belong to no
 * launch, and cost money. Events carry the launch's own trace.
 */
const untraced: readonly FunctionName[] = ['sweep', 'reconcile', 'poll-ci', 'probe', 'publish-events'];

/** The properties of a function of davit. */
export interface DavitFunctionProps extends FunctionCode, Keeping {
  tracing: boolean;
  /** Where it runs. @default outside of any VPC */
  network?: FunctionNetwork;
  reservedConcurrency?: number;
  /** Makes the function's code. @default an asset of the CDK */
  makeCode?: DavitProps['functionCode'];
}

/**
 * One Lambda with its log group and its role. The role may write that log and nothing else: it has none of AWS's managed
 * policies, because the one for logs allows every log group of the account.
 */
export class DavitFunction extends Construct {
  readonly functionName: FunctionName;
  readonly lambda: LambdaFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: DavitFunctionProps) {
    super(scope, id);
    this.functionName = props.functionName;
    const { functionName, network, reservedConcurrency, encryptionKey } = props;
    const { timeoutSeconds, memoryMiB } = functionSettings[functionName];
    const logGroup = new DavitLogGroup(this, 'Logs', props);
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
      code: props.makeCode?.(this, functionName) ?? functionCode(props),
      role: this.role,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMiB,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Without Lambda's lines for each start and each success. A failure and a time-out have theirs.
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: props.tracing && !untraced.includes(functionName) ? Tracing.ACTIVE : Tracing.DISABLED,
      ...network,
      ...(encryptionKey === undefined ? {} : { environmentEncryption: encryptionKey }),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    });
  }
}

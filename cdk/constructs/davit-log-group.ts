import { Aws, Fn, Names } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Keeping } from './keeping.ts';

/** The retention of a log group, and the service that writes to it. */
export interface DavitLogGroupProps extends Keeping {
  /**
   * The service that has CloudWatch deliver its logs. For each log group outside of `/aws/vendedlogs/`, CloudWatch adds
   * an entry to one resource policy of the account. The policy holds 5120 characters; once it is full, the next
   * deployment fails.
   *
   * @default CloudFormation names the log group
   * @see https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
   */
  vendedBy?: 'apis' | 'states';
}

/** A log group of davit's. */
export class DavitLogGroup extends LogGroup {
  constructor(
    scope: Construct,
    id: string,
    { vendedBy, encryptionKey, logRetention, removalPolicy }: DavitLogGroupProps,
  ) {
    super(scope, id, {
      retention: logRetention,
      removalPolicy,
      ...(encryptionKey === undefined ? {} : { encryptionKey }),
      ...(vendedBy === undefined ? {} : { logGroupName: vendedName(scope, vendedBy) }),
    });
  }
}

/** A retained log group outlives its stack. The stack's id in its name prevents a conflict with the next deployment. */
function vendedName(scope: Construct, service: string): string {
  const stackUuid = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return `/aws/vendedlogs/${service}/${Names.uniqueId(scope)}-${stackUuid}`;
}

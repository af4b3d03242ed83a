import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { FunctionPermissions } from '../function-permissions.ts';

// CDK's own grants are kms:GenerateDataKey* and kms:ReEncrypt*. These are the actions behind the asterisks.
const reading = ['kms:Decrypt', 'kms:DescribeKey'];
const writing = [
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];
const sending = ['kms:Decrypt', 'kms:GenerateDataKey'];

/**
 * Makes the statements of the key's own policy: three services use the key without a caller. CloudWatch Logs encrypts the
 * log groups, EventBridge sends to an encrypted queue, and alarms publish to an encrypted topic.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#dlq-considerations
 * @see https://repost.aws/knowledge-center/cloudwatch-configure-alarm-sns
 */
export function serviceStatements(scope: Construct): PolicyStatement[] {
  const stack = Stack.of(scope);
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  const logGroups = stack.formatArn({ service: 'logs', resource: 'log-group', resourceName: '*', arnFormat });
  return [
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
      actions: [...reading, ...writing],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups } },
    }),
    new PolicyStatement({
      principals: ['cloudwatch', 'events'].map((service) => new ServicePrincipal(`${service}.amazonaws.com`)),
      actions: sending,
      resources: ['*'],
      // Does not name the ARNs of alarms and rule, because they come after the functions, and the functions after the
      // key.
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  ];
}

/**
 * Makes the statements for a function with these permissions: it may not use the key directly, but only through a service
 * that acts in the caller's name. Lambda decrypts the environment of every function.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function keyStatements(scope: Construct, key: IKey, permissions: FunctionPermissions): PolicyStatement[] {
  const { launches, tokens, jobs, clusters, secrets = [] } = permissions;
  const usesTables = [launches, tokens, jobs, clusters].some((table) => table !== undefined);
  return [
    through(scope, key, 'lambda', 'kms:Decrypt'),
    ...(usesTables ? [through(scope, key, 'dynamodb', ...reading, ...writing)] : []),
    ...(secrets.includes('credentialKey') ? [through(scope, key, 'secretsmanager', 'kms:Decrypt')] : []),
  ];
}

/** Makes the statement for the sender of a message, on the key of a queue. */
export function sendingStatement(scope: Construct, key: IKey): PolicyStatement {
  return through(scope, key, 'sqs', ...sending);
}

/** Makes the statement for the role of a schedule, on the key that encrypts the schedule's input. */
export function schedulingStatement(scope: Construct, key: IKey): PolicyStatement {
  return through(scope, key, 'scheduler', 'kms:Decrypt');
}

function through(scope: Construct, key: IKey, service: string, ...actions: string[]): PolicyStatement {
  const viaService = `${service}.${Stack.of(scope).region}.amazonaws.com`;
  return new PolicyStatement({
    actions,
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': viaService } },
  });
}

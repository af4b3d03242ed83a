import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { sendingStatement } from './key-statements.ts';

/**
 * Makes the queue that keeps what a function failed to do whenever it was tried, for two weeks. CDK's own destinations
 * would let the function read the queue's attributes and its URL as well.
 *
 * @param encryptionKey @default a key that SQS manages
 */
export function failureQueue(scope: Construct, id: string, from: IFunction, encryptionKey: IKey | undefined): Queue {
  const queue = makeQueue(scope, id, encryptionKey);
  from.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
  if (encryptionKey !== undefined) from.addToRolePolicy(sendingStatement(from, encryptionKey));
  return queue;
}

/**
 * Makes the queue that keeps what EventBridge could not hand to a function, for two weeks. CDK lets EventBridge send to
 * it, and does not let it use the key.
 *
 * @param encryptionKey @default a key that SQS manages
 * @see https://github.com/aws/aws-cdk/issues/20804
 */
export function undeliveredQueue(scope: Construct, encryptionKey: IKey | undefined): Queue {
  encryptionKey?.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      // Not the rule's ARN: the rule is made after the functions, and these after the key.
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  return makeQueue(scope, 'Undelivered', encryptionKey);
}

function makeQueue(scope: Construct, id: string, encryptionKey: IKey | undefined): Queue {
  return new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    enforceSSL: true,
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  });
}

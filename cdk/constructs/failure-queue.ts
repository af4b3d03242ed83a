import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
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
  const queue = new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    enforceSSL: true,
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  });
  from.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
  if (encryptionKey !== undefined) from.addToRolePolicy(sendingStatement(from, encryptionKey));
  return queue;
}

import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Keeping } from './keeping.ts';
import { sendingStatement } from './key-statements.ts';

/** A queue that keeps, for two weeks, messages whose last attempt failed. */
export class FailureQueue extends Queue {
  constructor(scope: Construct, id: string, { encryptionKey }: Pick<Keeping, 'encryptionKey'>) {
    super(scope, id, {
      retentionPeriod: Duration.days(14),
      enforceSSL: true,
      ...(encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    });
  }

  /**
   * Allows a function to send messages to the queue, and nothing else. CDK's own destinations also allow it to read the
   * queue's attributes and URL.
   */
  letSend(sender: IFunction): void {
    sender.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.queueArn] }));
    const key = this.encryptionMasterKey;
    if (key !== undefined) sender.addToRolePolicy(sendingStatement(sender, key));
  }
}

import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { FunctionNeeds } from '../function-needs.ts';

// CDK's own grants are kms:GenerateDataKey* and kms:ReEncrypt*: these are what the asterisks stand for.
const reading = ['kms:Decrypt', 'kms:DescribeKey'];
const writing = [
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/**
 * Makes what a function with these needs may do with the key that encrypts davit's own: nothing by itself, and through a
 * service what that service does in the caller's name.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
export function keyStatements(scope: Construct, key: IKey, needs: FunctionNeeds): PolicyStatement[] {
  const { launches, tokens, secrets = [] } = needs;
  return [
    ...(launches === undefined && tokens === undefined
      ? []
      : [through(scope, key, 'dynamodb', ...reading, ...writing)]),
    ...(secrets.includes('credentialKey') ? [through(scope, key, 'secretsmanager', 'kms:Decrypt')] : []),
  ];
}

/** Makes what the sender of a message may do with the key of a queue. */
export function sendingStatement(scope: Construct, key: IKey): PolicyStatement {
  return through(scope, key, 'sqs', 'kms:Decrypt', 'kms:GenerateDataKey');
}

function through(scope: Construct, key: IKey, service: string, ...actions: string[]): PolicyStatement {
  const viaService = `${service}.${Stack.of(scope).region}.amazonaws.com`;
  return new PolicyStatement({
    actions,
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': viaService } },
  });
}

import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { failureQueue } from './failure-queue.ts';

/** What announces, and of what. */
export interface AnnouncementsProps {
  announce: IFunction;
  launchesTable: Table;
  tokensTable: Table;
  /** What encrypts the tables; undefined: keys of AWS. */
  encryptionKey: IKey | undefined;
}

/**
 * Runs the function that announces for each change of the launches and each token that is published. A batch that fails
 * is told again from where it failed, until the stream forgets it after a day.
 *
 * @returns the queue that says which changes were never announced: their place in the stream, and nothing of them
 */
export function announceChanges(scope: Construct, props: AnnouncementsProps): Queue {
  const queue = failureQueue(scope, 'FailedAnnouncements', props.announce, props.encryptionKey);
  map(scope, 'AnnounceLaunches', props.announce, props.launchesTable, ['INSERT', 'MODIFY'], queue);
  map(scope, 'AnnounceTokens', props.announce, props.tokensTable, ['INSERT'], queue);
  return queue;
}

function map(
  scope: Construct,
  id: string,
  announce: IFunction,
  table: Table,
  changes: [string, ...string[]],
  failed: Queue,
): void {
  const streamArn = table.tableStreamArn;
  if (streamArn === undefined) throw new Error(`${table.node.path} has no stream`);
  // DynamoEventSource would allow every stream of the account to be listed; these are all that a mapping needs.
  announce.addToRolePolicy(
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      resources: [streamArn],
    }),
  );
  const mapping = new EventSourceMapping(scope, id, {
    target: announce,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 25,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    filters: [FilterCriteria.filter({ eventName: FilterRule.or(...changes) })],
    onFailure: { bind: () => ({ destination: failed.queueArn }) },
  });
  // The mapping is refused while the role may not read the stream.
  if (announce.role !== undefined) mapping.node.addDependency(announce.role);
}

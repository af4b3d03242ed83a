import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { FailureQueue } from './failure-queue.ts';
import type { Keeping } from './keeping.ts';

/** The function that publishes, and its tables. */
export interface EventPublishingProps extends Pick<Keeping, 'encryptionKey'> {
  publisher: IFunction;
  launchesTable: Table;
  tokensTable: Table;
  clustersTable: Table;
}

/**
 * A stream keeps a change for 24 hours. After 23, there is one hour left to read the change by its position in the queue.
 */
const maxRecordAge = Duration.hours(23);

/**
 * Runs publish-events for each change of a launch or a cluster, and for each new token. Lambda repeats a failed batch
 * from the failed record on, for 23 hours.
 */
export class EventPublishing extends Construct {
  /** The stream positions, without contents, of changes that davit did not publish within 23 hours. */
  readonly unpublishedEvents: FailureQueue;
  readonly #publisher: IFunction;

  constructor(scope: Construct, id: string, props: EventPublishingProps) {
    super(scope, id);
    this.#publisher = props.publisher;
    this.unpublishedEvents = new FailureQueue(this, 'UnpublishedEvents', props);
    this.unpublishedEvents.letSend(props.publisher);
    this.#map('Launches', props.launchesTable, ['INSERT', 'MODIFY']);
    this.#map('Tokens', props.tokensTable, ['INSERT']);
    this.#map('Clusters', props.clustersTable, ['INSERT', 'MODIFY']);
  }

  #map(id: string, table: Table, changes: [string, ...string[]]): void {
    const streamArn = table.tableStreamArn;
    if (streamArn === undefined) throw new Error(`${table.node.path} has no stream`);
    // CDK's DynamoEventSource also grants the right to list every stream of the account. A mapping needs only these
    // actions.
    this.#publisher.addToRolePolicy(
      new PolicyStatement({
        actions: [
          'dynamodb:DescribeStream',
          'dynamodb:GetRecords',
          'dynamodb:GetShardIterator',
          'dynamodb:ListStreams',
        ],
        resources: [streamArn],
      }),
    );
    const mapping = new EventSourceMapping(this, id, {
      target: this.#publisher,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 25,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge,
      filters: [FilterCriteria.filter({ eventName: FilterRule.or(...changes) })],
      onFailure: { bind: () => ({ destination: this.unpublishedEvents.queueArn }) },
    });
    // Lambda refuses a mapping whose role may not read the stream yet.
    if (this.#publisher.role !== undefined) mapping.node.addDependency(this.#publisher.role);
  }
}

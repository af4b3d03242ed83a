import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** The definition of a table without its name: for CreateTable locally, for CDK on AWS. */
export interface TableDefinition {
  schema: Required<Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema' | 'BillingMode'>> &
    Pick<CreateTableCommandInput, 'GlobalSecondaryIndexes'>;
  /** The attribute with the time in seconds after which DynamoDB removes an item. */
  timeToLiveAttribute: string;
  /** Whether changes go to `publish-events`. */
  isPublished: boolean;
}

/** The index of the launches by status, newest first when it is read backwards. It contains only keys. */
export const launchesByStatusIndex = 'byStatus';

/**
 * The index of the launches whose agents stand by, by their pool, oldest first. Only their items have its first attribute. It
 * contains only keys.
 */
export const standbyIndex = 'standby';

/** The launches: one item a launch. */
export const launchesTable: TableDefinition = {
  schema: {
    AttributeDefinitions: [
      { AttributeName: 'launchId', AttributeType: 'S' },
      { AttributeName: 'status', AttributeType: 'S' },
      { AttributeName: 'requestedAtEpochMs', AttributeType: 'N' },
      { AttributeName: 'standsByAt', AttributeType: 'S' },
    ],
    KeySchema: [{ AttributeName: 'launchId', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: launchesByStatusIndex,
        KeySchema: [
          { AttributeName: 'status', KeyType: 'HASH' },
          { AttributeName: 'requestedAtEpochMs', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: standbyIndex,
        KeySchema: [
          { AttributeName: 'standsByAt', KeyType: 'HASH' },
          { AttributeName: 'requestedAtEpochMs', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  },
  timeToLiveAttribute: 'expiresAtEpochSeconds',
  isPublished: true,
};

/** The published tokens: one item an agent. */
export const tokensTable: TableDefinition = {
  schema: {
    AttributeDefinitions: [{ AttributeName: 'agentName', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'agentName', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
  timeToLiveAttribute: 'expiresAtEpochSeconds',
  isPublished: true,
};

/**
 * The index of waiting jobs, by CI system, oldest first. Only their items have its attributes. It contains only keys.
 */
export const waitingJobsIndex = 'waiting';

/**
 * The jobs of CI systems: one item for each attempt of a job, by its key. Also the memory of reconciling for a CI system:
 * one item for each repository with events, and one for all of its pools. Also the slots of limits, lost jobs, reported jobs,
 * spent requests, and how far a CI system's clock is off.
 */
export const jobsTable: TableDefinition = {
  schema: {
    AttributeDefinitions: [
      { AttributeName: 'partition', AttributeType: 'S' },
      { AttributeName: 'item', AttributeType: 'S' },
      { AttributeName: 'waitsAt', AttributeType: 'S' },
      { AttributeName: 'expiresAtEpochSeconds', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'partition', KeyType: 'HASH' },
      { AttributeName: 'item', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: waitingJobsIndex,
        KeySchema: [
          { AttributeName: 'waitsAt', KeyType: 'HASH' },
          { AttributeName: 'expiresAtEpochSeconds', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  },
  timeToLiveAttribute: 'expiresAtEpochSeconds',
  isPublished: false,
};

/** The connections to the clusters: one item a cluster. */
export const clustersTable: TableDefinition = {
  schema: {
    AttributeDefinitions: [{ AttributeName: 'cluster', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'cluster', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
  timeToLiveAttribute: 'expiresAtEpochSeconds',
  isPublished: true,
};

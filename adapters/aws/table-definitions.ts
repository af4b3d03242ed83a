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
export const launchesTable = tableOf({
  keys: ['launchId'],
  indexes: {
    [launchesByStatusIndex]: ['status', 'requestedAtEpochMs'],
    [standbyIndex]: ['standsByAt', 'requestedAtEpochMs'],
  },
  isPublished: true,
});

/** The published tokens: one item an agent. */
export const tokensTable = tableOf({ keys: ['agentName'], isPublished: true });

/**
 * The index of waiting jobs, by CI system, oldest first. Only their items have its attributes. It contains only keys.
 */
export const waitingJobsIndex = 'waiting';

/**
 * The jobs of CI systems: one item for each attempt of a job, by its key. Also the memory of reconciling for a CI system:
 * one item for each repository with events, and one for all of its pools. Also the slots of limits, lost jobs, reported jobs,
 * spent requests, and how far a CI system's clock is off.
 */
export const jobsTable = tableOf({
  keys: ['partition', 'item'],
  indexes: { [waitingJobsIndex]: ['waitsAt', 'expiresAtEpochSeconds'] },
  isPublished: false,
});

/** The connections to the clusters: one item a cluster. */
export const clustersTable = tableOf({ keys: ['cluster'], isPublished: true });

/** The attributes of a table's or an index's key. */
type Key = readonly [partition: string, sort?: string];

interface Table {
  keys: Key;
  /** By their names. */
  indexes?: Readonly<Record<string, Key>>;
  isPublished: boolean;
}

/** Makes a definition. Times are numbers, and all other keys are texts. */
function tableOf({ keys, indexes = {}, isPublished }: Table): TableDefinition {
  const attributes = new Set([keys, ...Object.values(indexes)].flat());
  const indexSchemas = Object.entries(indexes).map(([IndexName, key]) => ({
    IndexName,
    KeySchema: keySchema(key),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  }));
  return {
    schema: {
      AttributeDefinitions: Array.from(attributes, (AttributeName) => ({
        AttributeName,
        AttributeType: /Epoch(?:Ms|Seconds)$/.test(AttributeName ?? '') ? 'N' : 'S',
      })),
      KeySchema: keySchema(keys),
      ...(indexSchemas.length > 0 && { GlobalSecondaryIndexes: indexSchemas }),
      BillingMode: 'PAY_PER_REQUEST',
    },
    timeToLiveAttribute: 'expiresAtEpochSeconds',
    isPublished,
  };
}

function keySchema(key: Key) {
  return key.map((AttributeName, index) => ({
    AttributeName,
    KeyType: index === 0 ? ('HASH' as const) : ('RANGE' as const),
  }));
}

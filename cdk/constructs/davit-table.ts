import { RemovalPolicy } from 'aws-cdk-lib';
import type { Attribute } from 'aws-cdk-lib/aws-dynamodb';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { TableDefinition } from '../../functions/adapters/aws/table-definitions.ts';

/** How a table is kept. */
export interface TableKeeping {
  removalPolicy: RemovalPolicy;
  /** @default a key that AWS owns */
  encryptionKey: IKey | undefined;
}

/**
 * Makes a table from the definition that the local runtime makes its own from: on demand, encrypted, with point-in-time
 * recovery. A table that is kept cannot be deleted by hand either.
 */
export function davitTable(
  scope: Construct,
  id: string,
  { schema, timeToLiveAttribute }: TableDefinition,
  { removalPolicy, encryptionKey }: TableKeeping,
): Table {
  const table = new Table(scope, id, {
    ...keysOf(schema, schema.KeySchema),
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    // What has changed is announced.
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    removalPolicy,
    ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  });
  for (const { IndexName, KeySchema } of schema.GlobalSecondaryIndexes ?? []) {
    if (IndexName === undefined) throw new Error(`table ${id}: an index without a name`);
    table.addGlobalSecondaryIndex({ indexName: IndexName, ...keysOf(schema, KeySchema) });
  }
  return table;
}

type Schema = TableDefinition['schema'];

function keysOf(schema: Schema, keySchema: Schema['KeySchema'] = []): { partitionKey: Attribute; sortKey?: Attribute } {
  const nameOf = (keyType: string) => keySchema.find(({ KeyType }) => KeyType === keyType)?.AttributeName;
  const sortKeyName = nameOf('RANGE');
  return {
    partitionKey: attributeOf(schema, nameOf('HASH')),
    ...(sortKeyName === undefined ? {} : { sortKey: attributeOf(schema, sortKeyName) }),
  };
}

const attributeTypes: Record<string, AttributeType> = {
  S: AttributeType.STRING,
  N: AttributeType.NUMBER,
  B: AttributeType.BINARY,
};

function attributeOf({ AttributeDefinitions = [] }: Schema, name: string | undefined): Attribute {
  const declared = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name);
  const type = attributeTypes[declared?.AttributeType ?? ''];
  if (name === undefined || type === undefined) throw new Error(`a table’s key ${name} has no type`);
  return { name, type };
}

import { RemovalPolicy } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { TableDefinition } from '../../adapters/aws/table-definitions.ts';
import type { Keeping } from './keeping.ts';

/**
 * A table, from the same definition as the local runtime's: on demand, encrypted, with point-in-time recovery. A retained
 * table has deletion protection.
 */
export class DavitTable extends Table {
  constructor(
    scope: Construct,
    id: string,
    { schema, timeToLiveAttribute, isPublished }: TableDefinition,
    { removalPolicy, encryptionKey }: Keeping,
  ) {
    super(scope, id, {
      ...keysOf(schema, schema.KeySchema),
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      ...(isPublished ? { stream: StreamViewType.NEW_AND_OLD_IMAGES } : {}),
      removalPolicy,
      ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
    });
    for (const { IndexName, KeySchema, Projection } of schema.GlobalSecondaryIndexes ?? []) {
      if (IndexName === undefined) throw new Error(`table ${id}: an index has no name`);
      this.addGlobalSecondaryIndex({
        indexName: IndexName,
        ...keysOf(schema, KeySchema),
        projectionType: Projection?.ProjectionType === 'KEYS_ONLY' ? ProjectionType.KEYS_ONLY : ProjectionType.ALL,
      });
    }
  }
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
  if (name === undefined || type === undefined) throw new Error(`the key ${name} of a table has no type`);
  return { name, type };
}

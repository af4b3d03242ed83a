import { isDeepStrictEqual } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { DynamoDbServer } from '../../support/aws/dynamodb/dynamodb-server.ts';

type Attribute =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: boolean }
  | { L: Attribute[] }
  | { M: Record<string, Attribute> };

const Attribute: z.ZodType<Attribute> = z.lazy(() =>
  z.union([
    z.strictObject({ S: z.string() }),
    z.strictObject({ N: z.string() }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.boolean() }),
    z.strictObject({ L: z.array(Attribute) }),
    z.strictObject({ M: z.record(z.string(), Attribute) }),
  ]),
);

/** An item, as a table's stream tells it: each attribute's type and value. */
export const Item = z.record(z.string(), Attribute);
export type Item = z.infer<typeof Item>;

const Images = z.object({ NewImage: Item, OldImage: Item.optional() });

/** The write request units that writes used, by table and by index, as `davit-launches` and `davit-launches/byStatus`. */
export interface WriteTally extends Disposable {
  readonly units: ReadonlyMap<string, number>;
  /** The size of the largest item written, by table. */
  readonly largestBytes: ReadonlyMap<string, number>;
  reset(): void;
}

/** Counts the write request units of some tables, whose indexes contain only keys. */
export function tallyWrites(server: DynamoDbServer, tables: readonly CreateTableCommandInput[]): WriteTally {
  const units = new Map<string, number>();
  const largestBytes = new Map<string, number>();
  const add = (name: string, count: number) => units.set(name, (units.get(name) ?? 0) + count);
  using streams = new DisposableStack();
  for (const table of tables) {
    const { TableName = '', KeySchema: tableKeys = [], GlobalSecondaryIndexes = [] } = table;
    const count = (before: Item | undefined, after: Item) => {
      largestBytes.set(TableName, Math.max(itemBytes(after), largestBytes.get(TableName) ?? 0));
      add(TableName, tableUnits(before, after));
      for (const { IndexName, KeySchema = [] } of GlobalSecondaryIndexes) {
        const keysOf = (schema: typeof KeySchema) => schema.map(({ AttributeName = '' }) => AttributeName);
        const used = indexUnits({ index: keysOf(KeySchema), table: keysOf(tableKeys) }, before, after);
        if (used > 0) add(`${TableName}/${IndexName}`, used);
      }
    };
    const stream = server.stream([table], ({ dynamodb }) => {
      const { NewImage, OldImage } = Images.parse(dynamodb);
      count(OldImage, NewImage);
    });
    streams.use(stream);
  }
  const kept = streams.move();
  return {
    units,
    largestBytes,
    reset: () => {
      units.clear();
      largestBytes.clear();
    },
    [Symbol.dispose]: () => kept[Symbol.dispose](),
  };
}

/**
 * Computes the write request units of a table's item: by the larger of the item before and after.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
export function tableUnits(before: Item | undefined, after: Item): number {
  return Math.max(unitsOf(before), unitsOf(after));
}

/**
 * Computes the write request units of an index of keys: none if no key changes; otherwise one to delete the old entry, and
 * one to put the new one. An item without one of the index's keys has no entry.
 *
 * @param keys the names of the index's keys and of its table's
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 */
export function indexUnits(
  keys: { index: readonly string[]; table: readonly string[] },
  before: Item | undefined,
  after: Item,
): number {
  const entryOf = (item: Item | undefined): Item | undefined => {
    if (item === undefined || keys.index.some((key) => item[key] === undefined)) return undefined;
    return Object.fromEntries([...keys.index, ...keys.table].flatMap((key) => (item[key] ? [[key, item[key]]] : [])));
  };
  const [old, wanted] = [entryOf(before), entryOf(after)];
  return isDeepStrictEqual(old, wanted) ? 0 : unitsOf(old) + unitsOf(wanted);
}

/** A write unit is for up to 1 KB. An item that was not there costs nothing. */
function unitsOf(item: Item | undefined): number {
  return item === undefined ? 0 : Math.ceil(itemBytes(item) / 1024);
}

/**
 * Computes an item's size, in bytes.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + attributeBytes(value), 0);
}

function attributeBytes(attribute: Attribute): number {
  if ('S' in attribute) return Buffer.byteLength(attribute.S);
  if ('N' in attribute) return numberBytes(attribute.N);
  if ('L' in attribute) return 3 + attribute.L.reduce((sum, value) => sum + 1 + attributeBytes(value), 0);
  if ('M' in attribute) return 3 + Object.keys(attribute.M).length + itemBytes(attribute.M);
  return 1;
}

/** One byte for each two significant digits, and one more. */
function numberBytes(text: string): number {
  const digits = text.replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1;
}

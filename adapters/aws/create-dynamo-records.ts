import { isDeepStrictEqual } from 'node:util';
import * as z from '../../core/zod.ts';
import type { RecordStore, RecordWrite, StoredRecord } from '../../ports/record-store.ts';
import { type ConditionalUpdate, type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

/** What a store needs to know of its records. */
export interface RecordKind<Fields extends object> {
  /** The table's key attribute. */
  keyName: string;
  /** Reads an item, as far as it can be read. */
  read(item: Item): Omit<StoredRecord<Fields>, 'revision'>;
  /** The first revision of a new record: greater than any that an earlier record of its key can have. */
  firstRevision(record: Fields): number;
}

/** The revision of an item without one, or with one that is no number, as somebody may have written by hand. */
const noRevision = 0;
const Revision = z.object({ revision: z.withFallback(z.number(), noRevision) });

/**
 * Keeps records of one kind in a DynamoDB table, an item each, and knows nothing of what they mean. A write is one
 * conditional update of the attributes that differ. The item names the command of its last write, for the table's stream.
 */
export function createDynamoRecords<Fields extends object>(
  table: DynamoTable,
  kind: RecordKind<Fields>,
): RecordStore<Fields> {
  return {
    async read(key) {
      const item = await getItem(table, { [kind.keyName]: key });
      if (item === undefined) return undefined;
      return { ...kind.read(item), revision: Revision.parse(item).revision };
    },
    async write(write) {
      const { before, after } = write;
      const revision = before === undefined ? kind.firstRevision(after) : before.revision + 1;
      const written = await updateItem(table, updateOf(kind.keyName, write, revision));
      return written && revision;
    },
  };
}

function updateOf<Fields extends object>(
  keyName: string,
  { key, before, after, command }: RecordWrite<Fields>,
  revision: number,
): ConditionalUpdate {
  const changed = Object.entries({ ...changesOf(before, after), revision, command }).filter(
    ([name]) => name !== keyName,
  );
  const set = changed.filter(([, value]) => value !== undefined);
  const removed = changed.filter(([, value]) => value === undefined);
  const remove = removed.length === 0 ? '' : ` REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`;
  const condition = conditionOf(keyName, before?.revision);
  return {
    Key: { [keyName]: key },
    UpdateExpression: `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}${remove}`,
    ConditionExpression: condition.expression,
    ExpressionAttributeNames: Object.fromEntries([
      ...changed.map(([name]) => [`#${name}`, name]),
      ...Object.entries(condition.names),
    ]),
    ExpressionAttributeValues: {
      ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      ...condition.values,
    },
  };
}

/** The attributes in which two records differ, undefined for those to remove. A damaged attribute is always one. */
function changesOf<Fields extends object>(before: StoredRecord<Fields> | undefined, after: Fields): Item {
  const old: Item = Object.fromEntries(Object.entries(before?.record ?? {}));
  const wanted: Item = Object.fromEntries(Object.entries(after));
  const damaged = new Set(before?.damage?.attributes);
  const names = [...new Set([...Object.keys(old), ...Object.keys(wanted), ...damaged])];
  const differs = (name: string) => damaged.has(name) || !isDeepStrictEqual(old[name], wanted[name]);
  return Object.fromEntries(names.filter(differs).map((name) => [name, wanted[name]]));
}

interface WriteCondition {
  expression: string;
  names: Record<string, string>;
  values?: Item;
}

function conditionOf(keyName: string, revision: number | undefined): WriteCondition {
  const names = { '#the_key': keyName };
  if (revision === undefined) return { expression: 'attribute_not_exists(#the_key)', names };
  if (revision === noRevision) {
    const isNone = 'NOT attribute_type(#revision, :number_type) OR #revision = :the_revision';
    const values = { ':number_type': 'N', ':the_revision': noRevision };
    return { expression: `attribute_exists(#the_key) AND (${isNone})`, names, values };
  }
  return { expression: '#revision = :the_revision', names: {}, values: { ':the_revision': revision } };
}

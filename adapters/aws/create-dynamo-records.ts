import { isDeepStrictEqual } from 'node:util';
import { type Expiring, firstRevisionOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { Damage, RecordStore, RecordWrite, StoredRecord } from '../../ports/record-store.ts';
import { type ConditionalUpdate, type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

/** What a store needs to know of its records. */
export interface RecordKind<Fields extends object> {
  /** The attributes of an item's key, which its record may have, too. */
  keyOf(key: string): Item;
  /** Reads an item, as far as it can be read. @throws Error for one of which too little can be read */
  read(item: Item): Omit<StoredRecord<Fields>, 'revision'>;
  /** The attributes by which an index finds the record, undefined for those that it does not have. @default none */
  indexOf?(record: Fields): Item;
}

/** The revision of an item without one, or with one that is no number, as somebody may have written by hand. */
const noRevision = 0;
const Revision = z.object({ revision: z.withFallback(z.number(), noRevision) });

/**
 * Keeps records of one kind in a DynamoDB table, an item each, and knows nothing of what they mean. A write is one
 * conditional update of the attributes that differ. The item names the command of its last write, for the table's stream.
 */
export function createDynamoRecords<Fields extends Expiring>(
  table: DynamoTable,
  kind: RecordKind<Fields>,
): RecordStore<Fields> {
  return {
    async read(key) {
      const item = await getItem(table, kind.keyOf(key));
      if (item === undefined) return undefined;
      return { ...kind.read(item), revision: Revision.parse(item).revision };
    },
    async write(write) {
      const { before, after } = write;
      const revision = before === undefined ? firstRevisionOf(after) : before.revision + 1;
      const written = await updateItem(table, updateOf(kind, write, revision));
      return written && revision;
    },
  };
}

function updateOf<Fields extends object>(
  kind: RecordKind<Fields>,
  { key, before, after, command }: RecordWrite<Fields>,
  revision: number,
): ConditionalUpdate {
  const Key = kind.keyOf(key);
  const changes = changesOf(attributesOf(kind, before?.record), attributesOf(kind, after), before?.damage);
  const changed = Object.entries({ ...changes, revision, command }).filter(([name]) => !(name in Key));
  const set = changed.filter(([, value]) => value !== undefined);
  const removed = changed.filter(([, value]) => value === undefined);
  const remove = removed.length === 0 ? '' : ` REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`;
  const condition = conditionOf(Object.keys(Key), before?.revision);
  return {
    Key,
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

function attributesOf<Fields extends object>(kind: RecordKind<Fields>, record: Fields | undefined): Item {
  return record === undefined ? {} : Object.fromEntries(Object.entries({ ...record, ...kind.indexOf?.(record) }));
}

/** The attributes in which two records differ, undefined for those to remove. A damaged attribute is always one. */
function changesOf(old: Item, wanted: Item, damage: Damage | undefined): Item {
  const damaged = new Set(damage?.attributes);
  const names = [...new Set([...Object.keys(old), ...Object.keys(wanted), ...damaged])];
  const differs = (name: string) => damaged.has(name) || !isDeepStrictEqual(old[name], wanted[name]);
  return Object.fromEntries(names.filter(differs).map((name) => [name, wanted[name]]));
}

interface WriteCondition {
  expression: string;
  names: Record<string, string>;
  values?: Item;
}

function conditionOf([keyName = '']: readonly string[], revision: number | undefined): WriteCondition {
  const names = { '#the_key': keyName };
  if (revision === undefined) return { expression: 'attribute_not_exists(#the_key)', names };
  if (revision === noRevision) {
    const isNone = 'NOT attribute_type(#revision, :number_type) OR #revision = :the_revision';
    const values = { ':number_type': 'N', ':the_revision': noRevision };
    return { expression: `attribute_exists(#the_key) AND (${isNone})`, names, values };
  }
  return { expression: '#revision = :the_revision', names: {}, values: { ':the_revision': revision } };
}

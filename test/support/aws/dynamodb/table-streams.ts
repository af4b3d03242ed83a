import { isDeepStrictEqual } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item, Store } from 'dynalite/db/index.js';
import { type JsonValue, parseJson } from '../../../../local/json-value.ts';

/** One change of an item, as a table's stream with new and old images reports it. */
export interface StreamRecord {
  [key: string]: JsonValue;
  eventName: 'INSERT' | 'MODIFY';
  dynamodb: { SequenceNumber: string; [image: string]: JsonValue };
}

/**
 * Reports each put or update of an item, because dynalite has no streams. It reports after the write and before the
 * writer's answer. It does not report deletions, because davit makes none.
 *
 * @returns a function that stops it
 */
export function streamTables(
  store: Store,
  tables: readonly CreateTableCommandInput[],
  onChange: (record: StreamRecord) => void,
): Disposable {
  using streams = new DisposableStack();
  let sequenceNumber = 0;
  for (const { TableName = '', KeySchema = [] } of tables) {
    const items = store.getItemDb(TableName);
    const { put } = items;
    // The writer holds the item's lock, so this reads the item that the writer replaces.
    items.put = (key, item, done) => {
      items.get(key, (unread, before) => {
        if (unread !== null) return done(unread);
        put(key, item, (refused) => {
          if (refused === null) tell(before, item);
          done(refused);
        });
      });
    };
    streams.defer(() => {
      items.put = put;
    });

    const tell = (before: Item | undefined, item: Item): void => {
      const NewImage = imageOf(item);
      const OldImage = before && imageOf(before);
      if (isDeepStrictEqual(OldImage, NewImage)) return;
      sequenceNumber += 1;
      const Keys = imageOf(
        Object.fromEntries(KeySchema.map(({ AttributeName = '' }) => [AttributeName, item[AttributeName]])),
      );
      const images = { Keys, NewImage, ...(OldImage === undefined ? {} : { OldImage }) };
      const eventName = OldImage === undefined ? 'INSERT' : 'MODIFY';
      onChange({ eventName, dynamodb: { SequenceNumber: `${sequenceNumber}`, ...images } });
    };
  }
  return streams.move();
}

/** Copies an item, so that dynalite's later changes to its own object do not show. */
function imageOf(item: Item): JsonValue {
  return parseJson(JSON.stringify(item));
}

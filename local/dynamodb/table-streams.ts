import { isDeepStrictEqual } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item, Store } from 'dynalite/db/index.js';
import { type JsonValue, parseJson } from '../json-value.ts';

/** One change of an item, as a table's stream tells it with new and old images. */
export interface StreamRecord {
  [key: string]: JsonValue;
  eventName: 'INSERT' | 'MODIFY';
  dynamodb: { SequenceNumber: string; [image: string]: JsonValue };
}

/**
 * Tells of each item that is put or updated, since dynalite has no streams: when it is written, and before whoever
 * writes it is answered. Deletions are not told of: davit makes none.
 *
 * @returns how to end it
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
    // Its writer holds the item's lock, so that what is read is what is replaced.
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

/** A copy: what dynalite does with its own later is not told of. */
function imageOf(item: Item): JsonValue {
  return parseJson(JSON.stringify(item));
}

import * as z from '../../core/zod.ts';
import { type DynamoTable, getItem, updateItem } from './dynamo-table.ts';
import { unlessNewer, writtenAt } from './unless-newer.ts';

const retentionSeconds = 24 * 3600;

/** One note about each CI system. */
export interface CiNote<Body> {
  get(ciSystem: string): Promise<Body | undefined>;
  /** Stores the note, unless a newer one is stored. */
  keep(ciSystem: string, body: Body): Promise<void>;
}

/**
 * Stores one item for each CI system in the jobs table, for a day.
 *
 * @param name of the note: tells its items from others
 */
export function createDynamoCiNote<Body extends { atEpochMs: number }>(
  table: DynamoTable,
  name: string,
  schema: z.core.$ZodType<Body>,
): CiNote<Body> {
  const keyOf = (ciSystem: string) => ({ partition: `${ciSystem}/${name}`, item: name });
  return {
    get: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem));
      return item === undefined ? undefined : z.parse(schema, item['body']);
    },
    keep: async (ciSystem, body) => {
      // Two reconciles at once; the later one's note stays:
      //   A   ends at 10:00:20 ───────────────────────────► 10:00:25 > 10:00:20: refused
      //   B                      ends at 10:00:25 ──► kept
      await updateItem(table, {
        Key: keyOf(ciSystem),
        UpdateExpression: 'SET #body = :body, #expiresAt = :expiresAt',
        ConditionExpression: unlessNewer('#body', '#body.#at'),
        ExpressionAttributeNames: { '#body': 'body', '#at': 'atEpochMs', '#expiresAt': 'expiresAtEpochSeconds' },
        ExpressionAttributeValues: {
          ':body': body,
          ...writtenAt(body.atEpochMs),
          ':expiresAt': Math.ceil(body.atEpochMs / 1000) + retentionSeconds,
        },
      });
    },
  };
}

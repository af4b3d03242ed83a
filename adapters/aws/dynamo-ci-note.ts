import * as z from '../../core/zod.ts';
import { type DynamoTable, getItem } from './dynamo-table.ts';
import { writeUnlessNewer } from './unless-newer.ts';

const retentionMs = 24 * 3_600_000;

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
      const { atEpochMs } = body;
      const timed = { timeAt: ['body', 'atEpochMs'], atEpochMs, expiresAtEpochMs: atEpochMs + retentionMs } as const;
      await writeUnlessNewer(table, { Key: keyOf(ciSystem), attributes: { body }, ...timed });
    },
  };
}

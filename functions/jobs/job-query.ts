import { cursorTo, writeCursor } from '../../core/opaque-cursor.ts';
import * as z from '../../core/zod.ts';
import { limitField, listField, nameField, repositoryField } from '../../runtime/http/query-fields.ts';

/** Where a page of jobs ended: its last job. */
const Position = z.object({ sinceEpochMs: z.int(), jobKey: z.string() });
export type Position = z.infer<typeof Position>;

/** Writes a position as an opaque cursor. */
export function cursorOf({ sinceEpochMs, jobKey }: Position): string {
  return writeCursor({ sinceEpochMs, jobKey });
}

/** The statuses of jobs that wait to run. */
export const WaitingStatus = z.enum(['queued', 'waiting']);

/** The query of `GET /jobs`. */
export const JobQuery = z.strictObject({
  status: z.withDefault(listField(WaitingStatus), ['queued']),
  ciSystem: nameField,
  profile: nameField,
  repository: repositoryField,
  limit: limitField,
  cursor: z.optional(cursorTo(Position, z.base64url().check(z.maxLength(4096)))),
});
export type JobQuery = z.infer<typeof JobQuery>;

import { RoundCursor } from '../../core/ci/round-cursor.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import { createDynamoCiNote } from './dynamo-ci-note.ts';
import type { DynamoTable } from './dynamo-table.ts';

/** Stores in the jobs table how far rounds of reconciling have come. */
export function createDynamoRoundCursors(table: DynamoTable): RoundCursors {
  return createDynamoCiNote(table, 'cursor', RoundCursor);
}

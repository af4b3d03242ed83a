import { EpochMs } from '../../core/epoch-ms.ts';
import { LaunchStatus } from '../../core/launch/launch-record.ts';
import { LaunchId } from '../../core/launch/names.ts';
import { cursorTo, writeCursor } from '../../core/opaque-cursor.ts';
import * as z from '../../core/zod.ts';

/** Where a page of launches ended: the keys of its last launch. DynamoDB starts the next page after it. */
export const LaunchPosition = z.object({ status: LaunchStatus, requestedAtEpochMs: EpochMs, launchId: LaunchId });
export type LaunchPosition = z.infer<typeof LaunchPosition>;

/** Writes a position as an opaque cursor. @throws ZodError for one that no valid record has */
export function launchCursorOf(position: z.input<typeof LaunchPosition>): string {
  return writeCursor(LaunchPosition.parse(position));
}

/** Reads a cursor that came back; undefined for one that is not ours. */
export function readLaunchCursor(cursor: string): LaunchPosition | undefined {
  return Cursor.safeParse(cursor).data;
}

const Cursor = cursorTo(LaunchPosition);

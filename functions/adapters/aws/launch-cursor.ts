import { LaunchStatus } from '../../domain/launch-record.ts';
import { EpochMs } from '../../domain/launch-state.ts';
import { LaunchId } from '../../domain/names.ts';
import * as z from '../../zod.ts';

/** Where a page of launches ended: the keys of its last launch, which DynamoDB starts after. */
export const LaunchPosition = z.object({ status: LaunchStatus, requestedAtEpochMs: EpochMs, launchId: LaunchId });
export type LaunchPosition = z.infer<typeof LaunchPosition>;

/** Writes a position as an opaque cursor: base64url of its JSON. */
export function launchCursorOf(position: LaunchPosition): string {
  return Buffer.from(JSON.stringify(LaunchPosition.parse(position))).toString('base64url');
}

/** Reads a cursor that came back; undefined for one that is not ours. */
export function readLaunchCursor(cursor: string): LaunchPosition | undefined {
  return Cursor.safeParse(cursor).data;
}

const Cursor = z.pipe(
  z.pipe(
    z.base64url(),
    z.transform((encoded, context): unknown => {
      try {
        return JSON.parse(Buffer.from(encoded, 'base64url').toString());
      } catch (error) {
        context.issues.push({ code: 'custom', message: String(error), input: encoded });
        return z.NEVER;
      }
    }),
  ),
  LaunchPosition,
);

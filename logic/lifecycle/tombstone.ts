import type { AttributedEnding, LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { expiryOf } from '../../core/retention.ts';

/**
 * The record of a job that was over before its launch was requested: a late webhook finds it, and launches nothing.
 * `endJob` writes it for a job, `reconcileSlots` for an attempt that took a slot and never launched. It has no plan, and
 * nothing to clean up. A launch that a person ended needs no tombstone: its own record stays, and `Launches.request`
 * makes no other of its id.
 */
export function tombstone(launchId: LaunchId, ending: AttributedEnding): LaunchRecord {
  return {
    launchId,
    status: ending.outcome,
    ending,
    cleanedAtEpochMs: ending.atEpochMs,
    requestedAtEpochMs: ending.atEpochMs,
    expiresAtEpochSeconds: expiryOf(ending.atEpochMs),
  };
}

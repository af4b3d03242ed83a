import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { launchView } from '../../functions/launches/launch-view.ts';
import type { LaunchView } from '../../functions/launches/launch-view-schema.ts';

/** A launch as the API's clients see it: the record as JSON. */
export function shownLaunch(record: LaunchRecord, nowEpochMs: number): LaunchView {
  return JSON.parse(JSON.stringify(launchView(record, nowEpochMs)));
}

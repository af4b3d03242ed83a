import type { components } from '../../cli/api-types.ts';
import type { LaunchRecord } from '../../functions/domain/launch-record.ts';
import { launchView } from '../../functions/launches/launch-view.ts';

/** A launch as the API's clients see it: the record as JSON. */
export function shownLaunch(record: LaunchRecord, nowEpochMs: number): components['schemas']['LaunchView'] {
  return JSON.parse(JSON.stringify(launchView(record, nowEpochMs)));
}

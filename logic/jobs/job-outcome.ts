import type { Refusal } from '../../core/job/match-profile.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { EndedLaunch } from '../lifecycle/end-launch.ts';
import type { RequestedLaunch } from '../lifecycle/request-launch.ts';

/** What davit did for an event of a job. */
export type JobOutcome =
  | { requested: RequestedLaunch }
  /** The launch whose agent runs the job. */
  | { runs: LaunchRecord }
  | { ended: EndedLaunch }
  | Ignored;

/** An event that needs no action. */
export interface Ignored {
  /** The reason, for people. */
  ignored: string;
  /** Why no profile takes the queued job, for the metrics. */
  refusal?: Refusal;
}

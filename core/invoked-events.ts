import { EpochMs } from './epoch-ms.ts';
import type { JobRefused } from './events/job-events.ts';
import type { CommitReport } from './job/commit-report.ts';
import { Actor } from './launch/launch-record.ts';
import { LaunchId } from './launch/names.ts';
import * as z from './zod.ts';

/** A launch that is no longer wanted, whose runner is to leave its CI system. */
export const Retirement = z.object({
  launchId: LaunchId,
  /** Why the launch is no longer wanted, for people. */
  reason: z.string().check(z.minLength(1)),
  /** The function that asks: `reconcile`, `clean-up`. */
  by: z.string().check(z.minLength(1)),
  /** The actor that asks, for audits. */
  actor: Actor,
  /** The job that the agent ran and that is over, as its CI system says. @default a launch whose agent runs a job is left alone */
  finishedJobKey: z.optional(z.string().check(z.minLength(1))),
});
export type Retirement = z.infer<typeof Retirement>;

/** A CI system to poll once. */
export const PollRequest = z.object({
  ciSystem: z.string(),
  /** Asks for this job alone, which a webhook named. @default all jobs */
  job: z.optional(z.object({ repositoryId: z.int(), jobId: z.int() })),
  /** When, a few seconds ahead at most. @default now */
  atEpochMs: z.optional(EpochMs),
});
export type PollRequest = z.infer<typeof PollRequest>;

/** A cluster to look at, a call to which has failed: for as long as it is in trouble. */
export const ProbeRequest = z.object({
  cluster: z.string(),
  /** A launch begins on that cluster: looks for as long as launches are under way there, too. */
  isLaunching: z.optional(z.boolean()),
});
export type ProbeRequest = z.infer<typeof ProbeRequest>;

/** What each function takes from the functions that invoke it and do not wait for it. */
export interface InvokedEvents {
  /** A launch that is over, by its record. */
  'clean-up': { launchId: LaunchId };
  /** A launch that is over, whose slots other jobs wait for. */
  admit: { launchId: LaunchId };
  'retire-runner': Retirement;
  'report-to-ci': CommitReport;
  'publish-events': { refused: JobRefused };
  'poll-ci': PollRequest;
  probe: ProbeRequest;
}

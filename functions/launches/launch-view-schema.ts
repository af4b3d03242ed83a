import { JobSummary } from '../../core/job/job-summary.ts';
import { Ending, Generation, JobRun, LaunchStatus, PodState, Signal } from '../../core/launch/launch-record.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { AgentName, LaunchId } from '../../core/launch/names.ts';
import { Diagnostics, SeenEvent } from '../../core/pod/diagnostics.ts';
import * as z from '../../core/zod.ts';

// Functions import only types from this file: its schemas describe answers, and would cost each start some milliseconds.

/** A moment: ISO 8601, UTC. */
const Moment = z.iso.datetime();

const seconds = z.int().check(z.gte(0));

/** The meaning of an error code, with advice; absent for a code that this version does not know. */
const explanation = {
  means: z.optional(z.described(z.string(), 'What the code means')),
  advice: z.optional(z.described(z.string(), 'What to do')),
};

/** The reason why a launch waits, and for how long it has. */
export const SignalView = z.extend(z.omit(Signal, { sinceEpochMs: true }), { since: Moment, forSeconds: seconds });
export type SignalView = z.infer<typeof SignalView>;

/** The step that a launch is in, and when davit gives up. */
export const WaitingView = z.object({
  step: z.described(z.string(), "The state of the launch's state machine: `PollHostIP`, `PublishToken`"),
  since: Moment,
  givesUpAt: z.described(Moment, 'Unless the launch gets further before'),
  limit: z.described(z.string(), 'The key of the profile that sets this limit: `deadlines.connectSeconds`'),
});
export type WaitingView = z.infer<typeof WaitingView>;

/** What the Pod of a launch that waits said last. */
export const PodStateView = z.extend(z.omit(PodState, { atEpochMs: true }), { at: Moment });
export type PodStateView = z.infer<typeof PodStateView>;

/** Why a launch is over. */
export const EndingView = z.extend(z.omit(Ending, { atEpochMs: true }), { ...explanation, at: Moment });
export type EndingView = z.infer<typeof EndingView>;

const told = (words: string) => z.optional(z.described(Moment, words));

/** When a generation of a launch passed each step; a step that it has not reached is absent. */
export const TimelineView = z.object({
  startedAt: z.described(Moment, 'When the generation began'),
  serviceAt: told('The Service exists'),
  portAt: told('Its nodePort is known'),
  podAt: told('The Pod exists'),
  scheduledAt: told("The scheduler has chosen a node: the cluster's time, in whole seconds"),
  containersAt: told(
    "All of the Pod's containers have started: the cluster's time, in whole seconds. davit reads it when it removes the Pod.",
  ),
  hostAt: told("The agent's host is known"),
  tokenAt: told("The agent's token is published"),
});
export type TimelineView = z.infer<typeof TimelineView>;

/** A generation whose Pod infrastructure took, and why. */
export const GenerationView = z.extend(z.omit(Generation, { endedAtEpochMs: true, timeline: true }), {
  ...explanation,
  timeline: z.optional(TimelineView),
  endedAt: Moment,
});
export type GenerationView = z.infer<typeof GenerationView>;

/** When the clean-up of a launch began, and when a sweep last requested it again. */
export const CleaningView = z.object({
  because: z.string(),
  since: Moment,
  forSeconds: seconds,
  askedAgainAt: z.optional(Moment),
});
export type CleaningView = z.infer<typeof CleaningView>;

/** The Pod of a failed launch, which stays for a person to look at. */
export const HoldView = z.object({
  until: z.described(Moment, "By the profile's `holdFailedSeconds`"),
  endedAt: z.described(z.optional(Moment), 'When a person or the end of the time let the Pod go'),
});
export type HoldView = z.infer<typeof HoldView>;

const EventView = z.extend(z.omit(SeenEvent, { lastSeenAtEpochMs: true }), { lastSeenAt: z.optional(Moment) });

/** What the cluster said about a failed launch's Pod, before it was removed. Secrets are masked. */
export const DiagnosticsView = z.extend(z.omit(Diagnostics, { atEpochMs: true, events: true }), {
  at: Moment,
  events: z.array(EventView),
});
export type DiagnosticsView = z.infer<typeof DiagnosticsView>;

/** A job of a CI system. */
export const JobView = z.extend(z.omit(JobSummary, { queuedAtEpochMs: true, startedAtEpochMs: true }), {
  queuedAt: z.optional(Moment),
  startedAt: z.optional(Moment),
});
export type JobView = z.infer<typeof JobView>;

/** The job that the agent runs or ran. The launch may have been requested for another one. */
export const JobRunView = z.extend(z.partial(JobView), {
  jobKey: JobRun.shape.jobKey,
  url: JobRun.shape.url,
  startedAt: Moment,
  agentName: z.optional(AgentName),
  runner: z.optional(z.described(z.string(), "The runner's name in the CI system")),
  finishedAt: z.optional(Moment),
  conclusion: z.optional(z.described(z.string(), "The job's result, in the CI system's words")),
});
export type JobRunView = z.infer<typeof JobRunView>;

/** What a launch does, resolved from its profile at the request. */
export const PlanView = z.extend(
  z.omit(LaunchPlan, { launchId: true, agentName: true, requestedAtEpochMs: true, startedAtEpochMs: true, job: true }),
  { job: z.optional(JobView), startedAt: Moment },
);
export type PlanView = z.infer<typeof PlanView>;

/** Since when an agent stands by, without a registration, and for which job it was summoned. */
export const StandbyView = z.object({
  since: Moment,
  summonedAt: told('davit has summoned the agent: it registers for a job'),
  summonedFor: z.optional(z.described(z.string(), 'The key of the job. The agent may run another one.')),
});
export type StandbyView = z.infer<typeof StandbyView>;

/** A launch as `GET /launches/{launchId}` shows it. Has no value of an environment variable. */
export const LaunchView = z.object({
  launchId: LaunchId,
  agentName: AgentName,
  status: LaunchStatus,
  requestedAt: Moment,
  timeline: z.optional(TimelineView),
  connectedAt: z.optional(Moment),
  standby: z.described(z.optional(StandbyView), 'For a launch whose agent came when no job waited for it'),
  job: z.optional(JobRunView),
  signal: z.optional(SignalView),
  waiting: z.described(
    z.optional(WaitingView),
    'For a launch that waits: davit knows it a few seconds after the step has begun',
  ),
  podState: z.optional(PodStateView),
  ending: z.optional(EndingView),
  hold: z.optional(HoldView),
  cleaning: z.optional(CleaningView),
  diagnostics: z.optional(DiagnosticsView),
  cleanedAt: z.optional(Moment),
  left: z.described(
    z.optional(z.object({ clusters: z.array(z.string()), at: Moment })),
    'Instead of `cleanedAt`: davit.yaml does not have these clusters, so objects may be left there',
  ),
  plan: z.optional(PlanView),
  generations: z.optional(z.array(GenerationView)),
  labels: z.optional(z.record(z.string(), z.string())),
  envNames: z.optional(z.array(z.string())),
  forgottenAt: Moment,
});
export type LaunchView = z.infer<typeof LaunchView>;

/** A launch whose record cannot be read. */
export const UnreadableView = z.object({ launchId: z.string(), why: z.string() });

/** One page of `GET /launches`. */
export const LaunchList = z.object({
  launches: z.array(LaunchView),
  unreadable: z.optional(z.array(UnreadableView)),
  cursor: z.optional(z.string()),
});
export type LaunchList = z.infer<typeof LaunchList>;

/** The answer of `DELETE /launches/{launchId}`. */
export const EndedLaunchView = z.extend(LaunchView, { duplicate: z.optional(z.literal(true)) });
export type EndedLaunchView = z.infer<typeof EndedLaunchView>;

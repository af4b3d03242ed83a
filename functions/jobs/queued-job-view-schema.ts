import { JobStatus } from '../../core/job/job-record.ts';
import { LaunchStatus } from '../../core/launch/launch-record.ts';
import { AgentName, LaunchId } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import { SignalView } from '../launches/launch-view-schema.ts';

// Functions import only types from this file: its schemas describe answers, and would cost each start some milliseconds.

const Moment = z.iso.datetime();
const count = z.int().check(z.gte(0));

/** The kinds of things that a job waits for. */
export const WaitReason = z.enum([
  'OtherJob',
  'NoProfile',
  'Limit',
  'NotRequested',
  'AgentLaunching',
  'AgentConnected',
  'AgentTaken',
  'AgentEnded',
]);

/** The reason why a job waits, with words for people. */
export const WaitView = z.object({
  reason: z.described(
    WaitReason,
    '`OtherJob`: another job, or an approval. `NoProfile`: no profile takes it. `Limit`: a slot of a limit. `NotRequested`: davit has requested no agent. ' +
      '`AgentLaunching`, `AgentConnected`: the agent that was requested for it. `AgentTaken`: that agent has got another ' +
      'job. `AgentEnded`: that agent is gone',
  ),
  detail: z.described(z.string(), 'For people: the words of davit, the cluster or the CI system'),
  position: z.described(
    z.optional(z.int().check(z.gte(1))),
    'With `Limit`: its place among the jobs that wait for the same limit, from 1',
  ),
  signal: z.optional(SignalView),
});
export type WaitView = z.infer<typeof WaitView>;

/** A job that waits to run. Omits fields without a value. */
export const QueuedJobView = z.object({
  jobKey: z.described(z.string(), 'Identifies one attempt of one job'),
  ciSystem: z.described(z.string(), "The CI system's name in davit.yaml"),
  status: JobStatus,
  name: z.string(),
  repository: z.string(),
  workflow: z.optional(z.string()),
  runId: z.optional(z.int()),
  attempt: z.int().check(z.gte(1)),
  url: z.optional(z.string()),
  labels: z.array(z.string()),
  seenAt: z.described(Moment, 'When davit first saw the job'),
  queuedAt: z.described(z.optional(Moment), 'When it was queued, in the words of the CI system'),
  waitsForSeconds: z.described(count, 'Since it was queued, or else since davit first saw it'),
  profile: z.described(z.optional(z.string()), 'The profile that takes it'),
  waitsFor: WaitView,
  launches: z.described(count, 'How many launches davit has requested for it'),
  launch: z.described(
    z.optional(z.object({ launchId: LaunchId, agentName: AgentName, status: LaunchStatus })),
    'The latest of them',
  ),
});
export type QueuedJobView = z.infer<typeof QueuedJobView>;

/** The webhooks of a CI system that davit has refused in the last hour. */
export const RefusedWebhooksView = z.object({
  ciSystem: z.string(),
  count: z.described(z.int().check(z.gte(1)), 'At least so many'),
  why: z.described(z.string(), 'Why davit refused the last one'),
  since: Moment,
  lastAt: Moment,
});
export type RefusedWebhooksView = z.infer<typeof RefusedWebhooksView>;

/** Within which time davit finds a webhook of a CI system that did not arrive. */
export const LostWebhooksView = z.object({
  ciSystem: z.string(),
  foundWithinSeconds: z.described(
    count,
    "At the pace of the last round of reconciling: in the CI system's list of deliveries, or when its repository has its turn",
  ),
});
export type LostWebhooksView = z.infer<typeof LostWebhooksView>;

/** One page of `GET /jobs`. */
export const JobList = z.object({
  jobs: z.array(QueuedJobView),
  refusedWebhooks: z.described(z.optional(z.array(RefusedWebhooksView)), 'On the first page'),
  lostWebhooks: z.described(
    z.optional(z.array(LostWebhooksView)),
    'On the first page: each CI system with which davit has reconciled',
  ),
  cursor: z.optional(z.string()),
});
export type JobList = z.infer<typeof JobList>;

import { CompletedToken } from '../launch/completed-token.ts';
import { Actor } from '../launch/launch-record.ts';
import { AgentName, LaunchId } from '../launch/names.ts';
import * as z from '../zod.ts';

/** The EventBridge source of launch events. */
export const lifecycleSource = 'davit.launch';

const moment = z.iso.datetime().check(z.describe('When it happened: ISO 8601, UTC'));
const milliseconds = z.int().check(z.gte(0));

/** The fields of every launch event. */
export const AboutLaunch = z.strictObject({
  id: z
    .string()
    .check(
      z.describe('The same however often the event is sent: launch id, generation and type, with slashes between'),
    ),
  launchId: LaunchId.check(z.describe("The launch's id, and its execution's name")),
  generation: z.int().check(z.gte(1), z.describe('Counts from 1; each relaunch adds one')),
  agentName: AgentName.check(z.describe('The agent of this generation')),
  profile: z.string().check(z.minLength(1)),
  cluster: z.string().check(z.minLength(1)),
  namespace: z.string().check(z.minLength(1)),
  sourceUrl: z.optional(z.url()).check(z.describe('A link to the job')),
  at: moment,
});

const conclusion = z.string().check(z.describe("The job's result, in the CI system's words: `success`, `failure`"));

/** The fields of an event of the job that an agent runs. */
const AboutJob = z.extend(AboutLaunch, {
  job: z
    .strictObject({
      key: z
        .string()
        .check(z.minLength(1), z.describe("The CI system's name, the repository's id, the job's id, the attempt")),
      name: z.optional(z.string()),
      repository: z.optional(z.string()).check(z.describe('OWNER/NAME')),
      workflow: z.optional(z.string()),
      runId: z.optional(z.int()).check(z.describe("The workflow's run")),
      attempt: z.optional(z.int().check(z.gte(1))).check(z.describe('Counts from 1')),
      url: z.optional(z.string()).check(z.describe('Where people see the job')),
    })
    .check(z.describe('The job that the agent runs. The launch may have been requested for another one')),
});

const Over = z.extend(AboutLaunch, {
  code: z.string().check(z.minLength(1), z.describe('An error code of errors.md, or Terminated')),
  message: z.string().check(z.describe("What happened, in the cluster's words where there are any")),
  by: z.string().check(z.minLength(1), z.describe('The person or process that ended the launch')),
  actor: z
    .optional(z.strictObject(Actor.shape))
    .check(
      z.describe('Who ended the launch, for audits: the IAM identity, the CI system, the rule, the service of AWS'),
    ),
  connected: z.boolean().check(z.describe('Whether its agent had connected')),
});

const { host, port, tls, expiresAt } = CompletedToken.shape;

/** The details of each event, by its type. */
export const lifecycleDetails = {
  LaunchRequested: AboutLaunch.check(
    z.describe('davit has written the record of a requested launch. A duplicate sends no event.'),
  ),
  AgentPlaced: z
    .extend(AboutLaunch, { host, port, tls, expiresAt })
    .check(
      z.describe(
        "The agent's address is known, and its token is published. Its image may still be pulled: `AgentConnected` says that it works.",
      ),
    ),
  AgentConnected: z
    .extend(AboutLaunch, { timeToAgentMs: milliseconds.check(z.describe('Since the request for the launch')) })
    .check(z.describe('The agent has its token: the launch has succeeded.')),
  LaunchRelaunched: z
    .extend(AboutLaunch, {
      endedAgentName: AgentName.check(z.describe('The previous agent, which can no longer connect')),
      endedCluster: z.optional(z.string()).check(z.describe('Its cluster')),
      code: z
        .string()
        .check(
          z.minLength(1),
          z.describe('The error code that says how infrastructure took its Pod, or why the launch left its cluster'),
        ),
      message: z.string(),
    })
    .check(
      z.describe(
        'Infrastructure took the Pod before its agent had connected, or the launch moved to another cluster; it goes on under a new agent name.',
      ),
    ),
  JobStarted: z
    .extend(AboutJob, {
      queuedMs: z
        .optional(milliseconds)
        .check(z.describe('Since the job was queued; absent if the CI system did not send that time')),
    })
    .check(z.describe('The agent, which davit has registered, runs a job.')),
  JobFinished: z
    .extend(AboutJob, {
      conclusion: z.optional(conclusion),
      ranMs: milliseconds.check(z.describe('Since the job started')),
    })
    .check(z.describe('That job is over. The launch ends because of it.')),
  LaunchFailed: Over.check(z.describe('The launch failed. davit removes what it made.')),
  LaunchTerminated: Over.check(
    z.describe('The launch ended because its job is over or it was deleted. davit removes its objects.'),
  ),
  LaunchCleaned: z
    .extend(AboutLaunch, {
      outcome: z.enum(['failed', 'terminated']),
      cleanUpMs: milliseconds.check(z.describe('Since the end of the launch')),
    })
    .check(z.describe('davit has seen that everything the launch made is gone.')),
  LaunchLeft: z
    .extend(AboutLaunch, {
      outcome: z.enum(['failed', 'terminated']),
      clusters: z.array(z.string()).check(z.describe('davit.yaml does not have them, so davit has not looked there')),
    })
    .check(z.describe('Instead of LaunchCleaned: the launch is over, and may have left objects in these clusters.')),
} as const;

/** The type of an event: EventBridge's `detail-type`. */
export type LifecycleEventType = keyof typeof lifecycleDetails;

/** An event in the life of a launch. */
export type LifecycleEvent = {
  [Type in LifecycleEventType]: { type: Type; detail: z.infer<(typeof lifecycleDetails)[Type]> };
}[LifecycleEventType];

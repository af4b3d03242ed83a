import { CompletedToken } from '../launch/completed-token.ts';
import { Actor } from '../launch/launch-record.ts';
import { AgentName, LaunchId } from '../launch/names.ts';
import * as z from '../zod.ts';

/** The EventBridge source of launch events. */
export const lifecycleSource = 'davit.launch';

const moment = z.described(z.iso.datetime(), 'When it happened: ISO 8601, UTC');
const milliseconds = z.int().check(z.gte(0));

/** The fields of every launch event. */
export const AboutLaunch = z.strictObject({
  id: z.described(
    z.string(),
    'The same however often the event is sent: launch id, generation and type, with slashes between',
  ),
  launchId: z.described(LaunchId, "The launch's id, and its execution's name"),
  generation: z.int().check(z.gte(1), z.describe('Counts from 1; each relaunch adds one')),
  agentName: z.described(AgentName, 'The agent of this generation'),
  profile: z.string().check(z.minLength(1)),
  cluster: z.string().check(z.minLength(1)),
  namespace: z.string().check(z.minLength(1)),
  sourceUrl: z.described(z.optional(z.url()), 'A link to the job'),
  at: moment,
});

const conclusion = z.described(z.string(), "The job's result, in the CI system's words: `success`, `failure`");

/** The fields of an event of the job that an agent runs. */
const AboutJob = z.extend(AboutLaunch, {
  job: z.described(
    z.strictObject({
      key: z
        .string()
        .check(z.minLength(1), z.describe("The CI system's name, the repository's id, the job's id, the attempt")),
      name: z.optional(z.string()),
      repository: z.described(z.optional(z.string()), 'OWNER/NAME'),
      workflow: z.optional(z.string()),
      runId: z.described(z.optional(z.int()), "The workflow's run"),
      attempt: z.described(z.optional(z.int().check(z.gte(1))), 'Counts from 1'),
      url: z.described(z.optional(z.string()), 'Where people see the job'),
    }),
    'The job that the agent runs. The launch may have been requested for another one',
  ),
});

const Over = z.extend(AboutLaunch, {
  code: z.string().check(z.minLength(1), z.describe('An error code of errors.md, or Terminated')),
  message: z.described(z.string(), "What happened, in the cluster's words where there are any"),
  by: z.string().check(z.minLength(1), z.describe('The person or process that ended the launch')),
  actor: z.described(
    z.optional(z.strictObject(Actor.shape)),
    'Who ended the launch, for audits: the IAM identity, the CI system, the rule, the service of AWS',
  ),
  connected: z.described(z.boolean(), 'Whether its agent had connected'),
});

const { host, port, tls, expiresAt } = CompletedToken.shape;

/** The details of each event, by its type. */
export const lifecycleDetails = {
  LaunchRequested: z.described(
    AboutLaunch,
    'davit has written the record of a requested launch. A duplicate sends no event.',
  ),
  AgentPlaced: z.described(
    z.extend(AboutLaunch, { host, port, tls, expiresAt }),
    "The agent's address is known, and its token is published. Its image may still be pulled: `AgentConnected` says that it works.",
  ),
  AgentConnected: z.described(
    z.extend(AboutLaunch, { timeToAgentMs: z.described(milliseconds, 'Since the request for the launch') }),
    'The agent has its token: the launch has succeeded.',
  ),
  LaunchRelaunched: z.described(
    z.extend(AboutLaunch, {
      endedAgentName: z.described(AgentName, 'The previous agent, which can no longer connect'),
      endedCluster: z.described(z.optional(z.string()), 'Its cluster'),
      code: z
        .string()
        .check(
          z.minLength(1),
          z.describe('The error code that says how infrastructure took its Pod, or why the launch left its cluster'),
        ),
      message: z.string(),
    }),
    'Infrastructure took the Pod before its agent had connected, or the launch moved to another cluster; it goes on under a new agent name.',
  ),
  JobStarted: z.described(
    z.extend(AboutJob, {
      queuedMs: z.described(
        z.optional(milliseconds),
        'Since the job was queued; absent if the CI system did not send that time',
      ),
    }),
    'The agent, which davit has registered, runs a job.',
  ),
  JobFinished: z.described(
    z.extend(AboutJob, {
      conclusion: z.optional(conclusion),
      ranMs: z.described(milliseconds, 'Since the job started'),
    }),
    'That job is over. The launch ends because of it.',
  ),
  LaunchFailed: z.described(Over, 'The launch failed. davit removes what it made.'),
  LaunchTerminated: z.described(
    Over,
    'The launch ended because its job is over or it was deleted. davit removes its objects.',
  ),
  LaunchCleaned: z.described(
    z.extend(AboutLaunch, {
      outcome: z.enum(['failed', 'terminated']),
      cleanUpMs: z.described(milliseconds, 'Since the end of the launch'),
    }),
    'davit has seen that everything the launch made is gone.',
  ),
  LaunchLeft: z.described(
    z.extend(AboutLaunch, {
      outcome: z.enum(['failed', 'terminated']),
      clusters: z.described(z.array(z.string()), 'davit.yaml does not have them, so davit has not looked there'),
    }),
    'Instead of LaunchCleaned: the launch is over, and may have left objects in these clusters.',
  ),
} as const;

/** The type of an event: EventBridge's `detail-type`. */
export type LifecycleEventType = keyof typeof lifecycleDetails;

/** An event in the life of a launch. */
export type LifecycleEvent = {
  [Type in LifecycleEventType]: { type: Type; detail: z.infer<(typeof lifecycleDetails)[Type]> };
}[LifecycleEventType];

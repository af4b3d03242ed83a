import * as z from '../zod.ts';
import { CompletedToken } from './completed-token.ts';
import { AgentName, LaunchId } from './names.ts';

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

const Over = z.extend(AboutLaunch, {
  code: z.string().check(z.minLength(1), z.describe('An error code of errors.md, or Terminated')),
  message: z.string().check(z.describe("What happened, in the cluster's words where there are any")),
  by: z.string().check(z.minLength(1), z.describe('The person or process that ended the launch')),
  connected: z.boolean().check(z.describe('Whether its agent had connected')),
});

const { host, port, tls, expiresAt } = CompletedToken.shape;

/** The details of each event, by its type. */
export const lifecycleDetails = {
  LaunchRequested: AboutLaunch.check(
    z.describe('A launch was requested, and its record is written. A duplicate sends no event.'),
  ),
  AgentReady: z
    .extend(AboutLaunch, { host, port, tls, expiresAt })
    .check(
      z.describe("The agent's token is published. The agent is reached at this address, and gets it when it connects."),
    ),
  AgentConnected: z
    .extend(AboutLaunch, {
      timeToAgentMs: milliseconds.check(z.describe('Since the request for the launch')),
    })
    .check(z.describe('The agent has its token: the launch has succeeded.')),
  LaunchRelaunched: z
    .extend(AboutLaunch, {
      endedAgentName: AgentName.check(z.describe('The previous agent, which can no longer connect')),
      code: z.string().check(z.minLength(1), z.describe('The error code that says how infrastructure took its Pod')),
      message: z.string(),
    })
    .check(
      z.describe(
        'Infrastructure took the Pod before its agent had connected; the launch goes on under a new agent name.',
      ),
    ),
  LaunchFailed: Over.check(z.describe('The launch failed. davit removes what it made.')),
  LaunchTerminated: Over.check(
    z.describe('The launch ended because its job is over or somebody deleted it. davit removes what it made.'),
  ),
  LaunchCleaned: z
    .extend(AboutLaunch, {
      outcome: z.enum(['failed', 'terminated']),
      cleanUpMs: milliseconds.check(z.describe('Since the end of the launch')),
    })
    .check(z.describe('davit has seen that everything the launch made is gone.')),
} as const;

/** The type of an event: EventBridge's `detail-type`. */
export type LifecycleEventType = keyof typeof lifecycleDetails;

/** An event in the life of a launch. */
export type LifecycleEvent = {
  [Type in LifecycleEventType]: { type: Type; detail: z.infer<(typeof lifecycleDetails)[Type]> };
}[LifecycleEventType];

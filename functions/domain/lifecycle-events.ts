import * as z from '../zod.ts';
import { CompletedToken } from './completed-token.ts';
import { AgentName, LaunchId } from './names.ts';

/** What EventBridge knows the events of launches by. */
export const lifecycleSource = 'davit.launch';

const moment = z.iso.datetime().check(z.describe('When it happened: ISO 8601, UTC'));
const milliseconds = z.int().check(z.gte(0));

/** What every event of a launch says. */
export const AboutLaunch = z.strictObject({
  id: z
    .string()
    .check(
      z.describe('The same however often the event is sent: launch id, generation and type, with slashes between'),
    ),
  launchId: LaunchId.check(z.describe('The launch’s id, and its execution’s name')),
  generation: z.int().check(z.gte(1), z.describe('Counts from 1: how often the launch was begun')),
  agentName: AgentName.check(z.describe('The agent of this generation')),
  profile: z.string().check(z.minLength(1)),
  cluster: z.string().check(z.minLength(1)),
  namespace: z.string().check(z.minLength(1)),
  sourceUrl: z.optional(z.url()).check(z.describe('Where the job is to be seen')),
  at: moment,
});

const Over = z.extend(AboutLaunch, {
  code: z.string().check(z.minLength(1), z.describe('An error code of errors.md, or Terminated')),
  message: z.string().check(z.describe('What happened, in the cluster’s words where there are any')),
  by: z.string().check(z.minLength(1), z.describe('Who or what ended the launch')),
  connected: z.boolean().check(z.describe('Whether its agent had connected')),
});

const { host, port, tls, expiresAt } = CompletedToken.shape;

/** The details of each event, by its type. */
export const lifecycleDetails = {
  LaunchRequested: AboutLaunch.check(
    z.describe('A launch was asked for, and its record is kept. A duplicate says nothing.'),
  ),
  AgentReady: z
    .extend(AboutLaunch, { host, port, tls, expiresAt })
    .check(
      z.describe(
        'The agent’s token is published: this is where the agent is reached, and what it is told when it connects.',
      ),
    ),
  AgentConnected: z
    .extend(AboutLaunch, {
      timeToAgentMs: milliseconds.check(z.describe('Since the launch was asked for')),
    })
    .check(z.describe('The agent has fetched its token: the launch has worked.')),
  LaunchRelaunched: z
    .extend(AboutLaunch, {
      endedAgentName: AgentName.check(z.describe('The agent of the generation before, which is let in no more')),
      code: z.string().check(z.minLength(1), z.describe('The error code that says how infrastructure took its Pod')),
      message: z.string(),
    })
    .check(
      z.describe(
        'Infrastructure took the Pod before its agent had connected; the launch goes on under a new agent name.',
      ),
    ),
  LaunchFailed: Over.check(z.describe('The launch failed. What it made is being removed.')),
  LaunchTerminated: Over.check(
    z.describe('The launch was ended: its job is over, or somebody deleted it. What it made is being removed.'),
  ),
  LaunchCleaned: z
    .extend(AboutLaunch, {
      outcome: z.enum(['failed', 'terminated']),
      cleanUpMs: milliseconds.check(z.describe('Since the launch was over')),
    })
    .check(z.describe('Everything that the launch made was seen to be gone.')),
} as const;

/** The type of an event: EventBridge's `detail-type`. */
export type LifecycleEventType = keyof typeof lifecycleDetails;

/** Something that happened to a launch. */
export type LifecycleEvent = {
  [Type in LifecycleEventType]: { type: Type; detail: z.infer<(typeof lifecycleDetails)[Type]> };
}[LifecycleEventType];

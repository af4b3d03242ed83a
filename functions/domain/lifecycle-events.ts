import * as z from 'zod';
import { CompletedToken } from './completed-token.ts';
import { AgentName, LaunchId } from './names.ts';

/** What EventBridge knows the events of launches by. */
export const lifecycleSource = 'davit.launch';

const moment = z.iso.datetime().describe('When it happened: ISO 8601, UTC');
const milliseconds = z.int().min(0);

/** What every event of a launch says. */
export const AboutLaunch = z.strictObject({
  id: z
    .string()
    .describe('The same however often the event is sent: launch id, generation and type, with slashes between'),
  launchId: LaunchId.describe('The launch’s id, and its execution’s name'),
  generation: z.int().min(1).describe('Counts from 1: how often the launch was begun'),
  agentName: AgentName.describe('The agent of this generation'),
  profile: z.string().min(1),
  cluster: z.string().min(1),
  namespace: z.string().min(1),
  sourceUrl: z.url().optional().describe('Where the job is to be seen'),
  at: moment,
});

const Over = AboutLaunch.extend({
  code: z.string().min(1).describe('An error code of errors.md, or Terminated'),
  message: z.string().describe('What happened, in the cluster’s words where there are any'),
  by: z.string().min(1).describe('Who or what ended the launch'),
  connected: z.boolean().describe('Whether its agent had connected'),
});

const { host, port, tls, expiresAt } = CompletedToken.shape;

/** The details of each event, by its type. */
export const lifecycleDetails = {
  LaunchRequested: AboutLaunch.describe('A launch was asked for, and its record is kept. A duplicate says nothing.'),
  AgentReady: AboutLaunch.extend({ host, port, tls, expiresAt }).describe(
    'The agent’s token is published: this is where the agent is reached, and what it is told when it connects.',
  ),
  AgentConnected: AboutLaunch.extend({
    timeToAgentMs: milliseconds.describe('Since the launch was asked for'),
  }).describe('The agent has fetched its token: the launch has worked.'),
  LaunchRelaunched: AboutLaunch.extend({
    endedAgentName: AgentName.describe('The agent of the generation before, which is let in no more'),
    code: z.string().min(1).describe('The error code that says how infrastructure took its Pod'),
    message: z.string(),
  }).describe('Infrastructure took the Pod before its agent had connected; the launch goes on under a new agent name.'),
  LaunchFailed: Over.describe('The launch failed. What it made is being removed.'),
  LaunchTerminated: Over.describe(
    'The launch was ended: its job is over, or somebody deleted it. What it made is being removed.',
  ),
  LaunchCleaned: AboutLaunch.extend({
    outcome: z.enum(['failed', 'terminated']),
    cleanUpMs: milliseconds.describe('Since the launch was over'),
  }).describe('Everything that the launch made was seen to be gone.'),
} as const;

/** The type of an event: EventBridge's `detail-type`. */
export type LifecycleEventType = keyof typeof lifecycleDetails;

/** Something that happened to a launch. */
export type LifecycleEvent = {
  [Type in LifecycleEventType]: { type: Type; detail: z.infer<(typeof lifecycleDetails)[Type]> };
}[LifecycleEventType];

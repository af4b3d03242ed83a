import * as z from 'zod';
import { functionSettings } from '../../functions/manifest.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';

/** What a davit in a process of its own is started with. */
export const DavitStart = z.object({
  stateDirectory: z.string(),
  /** A file: davit's kubeconfig for its one cluster. */
  kubeconfigPath: z.string(),
  /** What agents are given as CI_SERVER_URL. */
  agentEnv: z.record(z.string(), z.string()),
  listen: z.object({ host: z.string(), port: z.int() }),
});
export type DavitStart = z.infer<typeof DavitStart>;

/** One request that a local stand-in for AWS answered. Times are those of `performance`, since 1970. */
export const ServiceRequest = z.object({
  service: z.enum(['dynamodb', 'stepfunctions', 'lambda', 'secretsmanager', 'api']),
  /** As X-Amz-Target says it, or the method and the path. */
  operation: z.string(),
  startEpochMs: z.number(),
  endEpochMs: z.number(),
});
export type ServiceRequest = z.infer<typeof ServiceRequest>;

/** What a davit has done and what it uses. */
export const Observation = z.object({
  /** Those that were answered since the last observation. */
  requests: z.array(ServiceRequest),
  /** After a garbage collection: of the runtime and of everything that the executions and tables keep. */
  heapBytes: z.number(),
  /** Of the whole process, functions included. */
  residentBytes: z.number(),
  /** User and system, since the start. */
  cpuMs: z.number(),
});
export type Observation = z.infer<typeof Observation>;

const functionNames = Object.keys(functionSettings);

/** What a davit in a process of its own is asked. */
export const Ask = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('observe') }),
  /** Ends a function in the middle of whatever it does. */
  z.object({ ask: z.literal('killFunction'), name: z.enum(functionNames) }),
  z.object({ ask: z.literal('sweep'), event: z.object({ dryRun: z.boolean(), graceSeconds: z.int() }) }),
]);
export type Ask = z.infer<typeof Ask>;

/** One event of an execution's history. */
export const StateEvent = z.object({
  launchId: z.string(),
  /** As `TaskStateEntered`. */
  type: z.string(),
  /** The state that it is of. */
  state: z.string(),
  /** The error of an attempt that failed. */
  error: z.string().optional(),
  /** Of `performance`, since 1970. */
  atEpochMs: z.number(),
});
export type StateEvent = z.infer<typeof StateEvent>;

/** A question, with a number by which its answer is known. */
export const Question = z.object({ id: z.int(), question: Ask });

/** What a davit in a process of its own says. */
export const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string(), webhookSecret: z.string(), launchesToken: z.string() }),
  z.object({ type: z.literal('event'), event: StateEvent }),
  /** Each sweep that it made by itself, the one at the start included. */
  z.object({ type: z.literal('swept'), report: SweepReport }),
  z.object({ type: z.literal('answer'), id: z.int(), answer: z.unknown() }),
]);
export type Message = z.infer<typeof Message>;

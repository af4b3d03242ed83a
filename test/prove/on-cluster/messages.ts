import * as z from 'zod';
import { SweepReport } from '../../../functions/sweep/sweep-report.ts';

/** The start message for a davit in a separate process. */
export const DavitStart = z.object({
  stateDirectory: z.string(),
  kubeconfigPath: z.string(),
  /**
   * The clusters of the config. davit reaches each through the context `context-NAME`.
   *
   * @default one, through the current context
   */
  clusters: z.array(z.string()).optional(),
  /** How many agents of each profile there may be. @default no limit */
  maxAgents: z.int().optional(),
  /** The agents' CI_SERVER_URL. */
  agentEnv: z.record(z.string(), z.string()),
  listen: z.object({ host: z.string(), port: z.int() }),
});
export type DavitStart = z.infer<typeof DavitStart>;

/** An invocation of a function that has ended. Times are those of `performance`, in epoch milliseconds. */
export const Invoked = z.object({
  functionName: z.string(),
  startEpochMs: z.number(),
  endEpochMs: z.number(),
});
export type Invoked = z.infer<typeof Invoked>;

/** A davit's invocations and resource usage. */
export const Observation = z.object({
  /** The invocations that have ended since the last observation. */
  invocations: z.array(Invoked),
  /** The heap after a garbage collection, with the executions' and tables' data. */
  heapBytes: z.number(),
  /** The memory of the whole process, functions included. */
  residentBytes: z.number(),
  /** User and system time since the start. */
  cpuMs: z.number(),
});
export type Observation = z.infer<typeof Observation>;

/** What a davit holds for launches. */
export const Held = z.object({
  /** The launches whose executions run. */
  executions: z.array(z.string()),
  slots: z.array(z.object({ launchId: z.string(), limit: z.string() })),
});
export type Held = z.infer<typeof Held>;

/** The requests to a davit in a separate process. */
export const Ask = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('observe') }),
  z.object({ ask: z.literal('held') }),
  /** A reconcile and a sweep without grace, as their schedules begin them in the same minute. */
  z.object({ ask: z.literal('round') }),
  z.object({ ask: z.literal('sweep'), event: z.object({ dryRun: z.boolean(), graceSeconds: z.int() }) }),
]);
export type Ask = z.infer<typeof Ask>;

/** An event of an execution, or the publication of its launch's token. */
export const StateEvent = z.object({
  launchId: z.string(),
  /** As of `ExecutionEvent`; or `placed`. */
  type: z.string(),
  /** The event's state, if it has one. */
  state: z.string(),
  /** The error of a failed attempt. */
  error: z.string().optional(),
  /** By `performance`, in epoch milliseconds. */
  atEpochMs: z.number(),
});
export type StateEvent = z.infer<typeof StateEvent>;

/** A request, with a number that its answer repeats. */
export const Question = z.object({ id: z.int(), question: Ask });

/** The messages of a davit in a separate process. */
export const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string(), webhookSecret: z.string(), launchesToken: z.string() }),
  z.object({ type: z.literal('event'), event: StateEvent }),
  /** Sent for each of its own sweeps, including the one at the start. */
  z.object({ type: z.literal('swept'), report: SweepReport }),
  z.object({ type: z.literal('answer'), id: z.int(), answer: z.unknown() }),
]);
export type Message = z.infer<typeof Message>;

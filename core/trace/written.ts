import { Connected } from '../cluster/connection.ts';
import { JobStatus } from '../job/job-record.ts';
import { LaunchStatus } from '../launch/launch-record.ts';
import * as z from '../zod.ts';

/** A generation that ended, as a trace has it. */
const WrittenGeneration = z.object({ agentName: z.string(), cluster: z.optional(z.string()), code: z.string() });

/** A launch's record as a trace has it: what the protocol depends on, and no text of a caller or a cluster. */
export const WrittenLaunch = z.object({
  status: LaunchStatus,
  requestedAtEpochMs: z.int(),
  /** These six are absent from a tombstone. */
  agentName: z.optional(z.string()),
  generation: z.optional(z.int()),
  cluster: z.optional(z.string()),
  namespace: z.optional(z.string()),
  profile: z.optional(z.string()),
  lifetimeSeconds: z.optional(z.int()),
  /** The job that the launch was requested for, by `jobKeyOf`. */
  jobKey: z.optional(z.string()),
  /** Where its agent registers: a pool's key, by `poolKeyOf`. */
  pool: z.optional(z.string()),
  ciSystem: z.optional(z.string()),
  /** Its holder's name in the limits, and their keys. */
  slots: z.optional(z.object({ holder: z.string(), limits: z.array(z.string()) })),
  generations: z.array(WrittenGeneration),
  connectedAtEpochMs: z.optional(z.int()),
  /** Since when the agent stands by, how often its credential was renewed, and the job that it was summoned for. */
  standby: z.optional(
    z.object({ sinceEpochMs: z.int(), renewals: z.optional(z.int()), summonedFor: z.optional(z.string()) }),
  ),
  /** Whether a launch of its pool stands by while no job waits for its agent. */
  standsBy: z.optional(z.literal(true)),
  /** The nonce's fingerprint: two are equal where the nonces are. */
  registration: z.optional(z.object({ nonce: z.string(), begunAtEpochMs: z.int(), count: z.int() })),
  runnerId: z.optional(z.int()),
  deregisteredAtEpochMs: z.optional(z.int()),
  runs: z.optional(z.string()),
  ranAtEpochMs: z.optional(z.int()),
  retiring: z.optional(z.string()),
  ending: z.optional(
    z.object({ outcome: z.enum(['failed', 'terminated']), code: z.string(), by: z.string(), atEpochMs: z.int() }),
  ),
  /** Until when its Pod is held, and when the hold ended. */
  hold: z.optional(z.object({ untilEpochMs: z.int(), releasedAtEpochMs: z.optional(z.int()) })),
  signal: z.optional(z.string()),
  cleanUpAskedAtEpochMs: z.optional(z.int()),
  cleanedAtEpochMs: z.optional(z.int()),
  /** The clusters that davit did not search when it cleaned up. */
  left: z.optional(z.array(z.string())),
});
export type WrittenLaunch = z.infer<typeof WrittenLaunch>;

/** The record of a job's attempt as a trace has it. */
export const WrittenJob = z.object({
  status: JobStatus,
  ciSystem: z.string(),
  launches: z.int(),
  lastLaunch: z.optional(z.string()),
  ranBy: z.optional(z.string()),
  runner: z.optional(z.string()),
  limitedBy: z.optional(z.string()),
  /** Whether the record says why no agent was requested. */
  isExplained: z.boolean(),
});
export type WrittenJob = z.infer<typeof WrittenJob>;

/** One holder's slot of a limit, and how many slots are held after the write. */
export const WrittenSlot = z.object({
  holder: z.string(),
  held: z.int(),
  /** The limit's maximum, for a slot that is taken. */
  maxAgents: z.optional(z.int()),
});

/** The state of a cluster and of its namespaces as a trace has it. */
export const WrittenCluster = z.object({
  connected: Connected,
  sinceEpochMs: z.int(),
  namespaces: z.array(z.object({ namespace: z.string(), connected: Connected, sinceEpochMs: z.int() })),
});
export type WrittenCluster = z.infer<typeof WrittenCluster>;

/** The requests that change a runner in its CI system, each once it is answered; `askToStop` comes before `stopAssigning`. */
export const RunnerCommand = z.enum(['register', 'askToStop', 'stopAssigning', 'removeIfIdle']);
export type RunnerCommand = z.infer<typeof RunnerCommand>;

/** What a CI system answered to such a request. */
export const WrittenRunner = z.object({
  /** The function that asked. */
  by: z.string(),
  /** How long the CI system may hand a job to a runner after `stopAssigning`, in milliseconds. */
  settleMs: z.int(),
  /** The answer to `removeIfIdle`. */
  result: z.optional(z.enum(['removed', 'busy', 'gone'])),
});

/** The start of an execution by a function that looks for launches without one. */
export const WrittenStart = z.object({
  /** The function that asked. */
  by: z.string(),
  /** How long the function leaves a launch to whoever requested it, in seconds. */
  graceSeconds: z.int(),
});

const write = {
  /** The record's key. Its kind and its key name it. */
  key: z.string(),
  /** Greater with each write of the record. Two writes whose revisions follow each other have none between them. */
  revision: z.int(),
  /** The name of the command. */
  command: z.string(),
};

/** One write of one record; or one change of a runner in its CI system, or one start of an execution, without a revision. */
export const Written = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('launch'), ...write, fields: WrittenLaunch }),
  z.object({ kind: z.literal('job'), ...write, fields: WrittenJob }),
  z.object({ kind: z.literal('limit'), ...write, fields: WrittenSlot }),
  z.object({ kind: z.literal('cluster'), ...write, fields: WrittenCluster }),
  z.object({ kind: z.literal('runner'), key: z.string(), command: RunnerCommand, fields: WrittenRunner }),
  z.object({ kind: z.literal('execution'), key: z.string(), command: z.literal('start'), fields: WrittenStart }),
]);
export type Written = z.infer<typeof Written>;

/** The message of a log line that has a write. */
export const writtenMessage = 'record written';

/** The log line of a write. The logger adds the time. */
export const WrittenLine = z.object({ message: z.literal(writtenMessage), timestamp: z.string(), written: Written });

/** A line of a trace: a write, and when it was logged. */
export const TraceLine = z.object({ atEpochMs: z.int(), written: Written });
export type TraceLine = z.infer<typeof TraceLine>;

import { readFileSync } from 'node:fs';
import * as z from 'zod';

const byName = z.record(z.string(), z.number().nonnegative());

/** What one launch used, on average, from its webhook to the removal of its Pod. */
const LaunchCounts = z.object({
  /** The size of a finished launch's record, as DynamoDB counts it. */
  recordBytes: z.int().positive(),
  /** States entered, and repeated attempts. */
  transitions: z.number().positive(),
  /** Attempts that fail, because they come too early. Each is one of the transitions, too. */
  failures: z.number().nonnegative(),
  /** By function. */
  invocations: byName,
  /** How long they took, all of a launch's together, in seconds, by function. */
  seconds: byName,
  /**
   * Calls as `dynamodb:PutItem davit-launches` and `kubernetes:create pods`; each item of a BatchGetItem counts as a
   * call.
   */
  calls: byName,
  /** Write request units, by table and index: `davit-launches/byStatus`. */
  writeUnits: byName,
  /** The size of all functions' logs. */
  logBytes: z.number().positive(),
});
export type LaunchCounts = z.infer<typeof LaunchCounts>;

/** The counts of local runs. */
export const Counts = z.object({
  /** Of each kind. */
  launches: z.int().positive(),
  /** How long each agent took from its container's start until it asked for its token, in seconds. */
  agentSeconds: z.number().positive(),
  /** From one launch's start to the next one's, in seconds. */
  everySeconds: z.number().positive(),
  /** A launch with a Service, whose agent connects and no more. */
  launch: LaunchCounts,
  /** A launch without a Service, whose agent davit registers at the CI system, where it runs its job. */
  registered: LaunchCounts,
  /** One sweep with nothing to do. */
  sweep: z.object({ seconds: z.number().positive(), calls: byName, logBytes: z.number().positive() }),
  /** The number of metrics with their dimensions that CloudWatch charges for: without launches, and with launches. */
  metrics: z.object({ idle: z.int().nonnegative(), inUse: z.int().positive() }),
});
export type Counts = z.infer<typeof Counts>;

/** The file with the last counts. */
export const countsFile = new URL('counts.json', import.meta.url);

/** Reads the last counts. @throws ZodError when they are another version's */
export function readCounts(): Counts {
  return Counts.parse(JSON.parse(readFileSync(countsFile, 'utf8')));
}

import { readFileSync } from 'node:fs';
import * as z from 'zod';

const byName = z.record(z.string(), z.number().nonnegative());

/** What was counted in a local run; under `launch`, a launch's share. */
export const Counts = z.object({
  launches: z.int().positive(),
  /** How long each agent took from its container's start until it asked for its token, in seconds. */
  agentSeconds: z.number().positive(),
  /** From one launch's start to the next one's, in seconds. */
  everySeconds: z.number().positive(),
  /** Of a launch that is over, as it is kept. */
  recordBytes: z.int().positive(),
  launch: z.object({
    /** States entered, and attempts again. */
    transitions: z.number().positive(),
    /** By function. */
    invocations: byName,
    /** How long they took, all of a launch's together, in seconds, by function. */
    seconds: byName,
    /** Calls as `dynamodb:PutItem davit-launches` and `kubernetes:create pods`. */
    calls: byName,
    /** What all functions wrote to their logs. */
    logBytes: z.number().positive(),
  }),
  /** One sweep in which there is nothing to do. */
  sweep: z.object({ seconds: z.number().positive(), calls: byName, logBytes: z.number().positive() }),
  /** How many metrics with their dimensions there are: by sweeps that find nothing, and with launches. */
  metrics: z.object({ idle: z.int().positive(), inUse: z.int().positive() }),
});
export type Counts = z.infer<typeof Counts>;

/** Where the last counts are. */
export const countsFile = new URL('counts.json', import.meta.url);

/** Reads the last counts. @throws ZodError when they are not what this version counts */
export function readCounts(): Counts {
  return Counts.parse(JSON.parse(readFileSync(countsFile, 'utf8')));
}

import * as z from '../../core/zod.ts';
import { LineError } from '../read-lines.ts';
import type { JobEvent, NumberedEvent } from './job-event.ts';

const Build = z.object({
  number: z.int(),
  building: z.boolean(),
  result: z.nullish(z.string()),
  /** The name of the node; empty for the built-in one. A pipeline has none. */
  builtOn: z.optional(z.string()),
  timestamp: z.int(),
  /** In milliseconds. */
  duration: z.int(),
});
type Build = z.infer<typeof Build>;

const Jobs = z.object({ jobs: z.array(z.object({ name: z.string(), builds: z.withDefault(z.array(Build), []) })) });

/** What selects the fields of a history in Jenkins' answer. */
export const jenkinsHistoryTree = 'jobs[name,builds[number,building,result,builtOn,timestamp,duration]]';

/** The beginning of the names of davit's nodes. */
const ownPrefix = 'davit-';

/**
 * Reads a history from Jenkins' own list of builds, the answer of `/api/json?tree=` with `jenkinsHistoryTree`; Hudson has
 * the same. A build that goes on has no end yet, and is left out.
 *
 * @param file its name, for errors
 * @returns the events, numbered from 1 in the order of their time
 * @throws LineError for another answer
 */
export function readJenkinsHistory(text: string, file: string): NumberedEvent[] {
  const { jobs } = parsed(text, file);
  const events = jobs.flatMap(({ name, builds }) =>
    builds.filter(({ building }) => !building).flatMap((build) => eventsOf(name, build)),
  );
  return events
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs || rankOf(one) - rankOf(other))
    .map((event, index) => ({ ...event, line: index + 1 }));
}

function parsed(text: string, file: string): z.infer<typeof Jobs> {
  try {
    const read = z.safeParse(Jobs, JSON.parse(text));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new LineError(file, 1, `${issue?.path.join('.') || 'the top'}: ${issue?.message}`);
  } catch (error) {
    if (error instanceof SyntaxError) throw new LineError(file, 1, `no JSON: ${error.message}`);
    throw error;
  }
}

function eventsOf(name: string, { number, result, builtOn, timestamp, duration }: Build): JobEvent[] {
  const job = `${name} #${number}`;
  const conclusion = conclusions[result ?? ''] ?? 'none';
  const runner = builtOn ? { runner: builtOn } : {};
  const isForeign = builtOn?.startsWith(ownPrefix) === true ? {} : { isForeign: true };
  // The job's own tests decide that it is unstable. A failure may be the loss of its agent.
  const mayFail = result === 'UNSTABLE' ? { mayFail: true } : {};
  return [
    { atEpochMs: timestamp, job, event: 'started', ...runner, ...isForeign },
    { atEpochMs: timestamp + duration, job, event: 'completed', conclusion, ...mayFail },
  ];
}

const conclusions: Readonly<Record<string, string>> = {
  SUCCESS: 'success',
  UNSTABLE: 'failure',
  FAILURE: 'failure',
  ABORTED: 'cancelled',
  NOT_BUILT: 'skipped',
};

/** A build may take no time: its start comes before its end. */
function rankOf({ event }: JobEvent): number {
  return event === 'started' ? 0 : 1;
}

import type { Finding } from '../finding.ts';
import { readLines } from '../read-lines.ts';
import { JobEvent, type NumberedEvent } from './job-event.ts';

/** What the jobs of a history came to. */
export interface JobsVerdict {
  jobs: number;
  /** Jobs that one runner ran to their end. */
  ran: number;
  /** Jobs that were cancelled or skipped. */
  cancelled: number;
  /** Jobs whose agent was taken from them. */
  taken: number;
  /** Jobs that wait, and of which davit has said why. */
  explained: number;
  runners: number;
  /** Sorted by line. */
  findings: Finding[];
}

const neverRun = new Set(['cancelled', 'skipped']);
type Outcome = 'ran' | 'cancelled' | 'taken' | 'explained' | 'waits';

/** Reads a history. @param file its name, for errors @throws LineError for a line that is not one of a history */
export function readJobEvents(text: string, file: string): NumberedEvent[] {
  return readLines(text, file, JobEvent).map(({ line, content }) => ({ ...content, line }));
}

/**
 * Checks a history of jobs, as Jepsen checks histories of reads and writes: by what was seen from outside, whatever davit's
 * own records say. Each job was run once, or was cancelled, or has a reason; each runner ran one job.
 *
 * @param events in the order in which they were seen
 * @see https://jepsen.io
 */
export function verifyJobs(events: readonly NumberedEvent[]): JobsVerdict {
  const jobs = [...Map.groupBy(events, ({ job }) => job)];
  const outcomes = jobs.map(([, seen]) => outcomeOf(seen));
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const own = events
    .filter((event) => event.event === 'started')
    .filter(({ runner, isForeign }) => runner !== undefined && isForeign !== true);
  const byRunner = [...Map.groupBy(own, ({ runner = '' }) => runner)];
  const findings = [
    ...jobs.flatMap(([job, seen]) => checkJob(job, seen)),
    ...byRunner.flatMap(([runner, starts]) => checkRunner(runner, starts)),
  ];
  return {
    jobs: jobs.length,
    ran: count('ran'),
    cancelled: count('cancelled'),
    taken: count('taken'),
    explained: count('explained'),
    runners: byRunner.length,
    findings: findings.toSorted((one, other) => one.line - other.line),
  };
}

function outcomeOf(seen: readonly NumberedEvent[]): Outcome {
  const end = seen.find((event) => event.event === 'completed');
  if (end !== undefined && neverRun.has(end.conclusion)) return 'cancelled';
  if (seen.some(({ event }) => event === 'taken')) return 'taken';
  if (end !== undefined) return 'ran';
  return seen.some(({ event }) => event === 'explained') ? 'explained' : 'waits';
}

const runAgain = 'davit has a job run again only if its agent was taken';
const everyJob = 'a job is run, is cancelled, or davit says why not';

function checkJob(job: string, seen: readonly NumberedEvent[]): Finding[] {
  const starts = seen.filter(({ event }) => event === 'started');
  const ends = seen.filter((event) => event.event === 'completed');
  const [end, again] = ends;
  const asked = seen.find(({ event }) => event === 'again');
  const subject = `job ${job}`;
  const found = (rule: string, { line }: NumberedEvent, what: string): Finding => ({ subject, rule, seen: what, line });
  const rules: (Finding | undefined)[] = [
    starts[1] && found('a job is run once', starts[1], `it started ${starts.length} times`),
    again && found('a job ends once', again, `it ended ${ends.length} times`),
    end && starts[0] && starts[0].line > end.line
      ? found('a job that is over does not start', starts[0], `it was ${end.conclusion}`)
      : undefined,
    end && starts.length === 0 && !neverRun.has(end.conclusion)
      ? found('only a job that was run has a result', end, `it ended as ${end.conclusion}`)
      : undefined,
    asked && !seen.some(({ event }) => event === 'taken')
      ? found(runAgain, asked, end ? `it was ${end.conclusion}` : 'it runs')
      : undefined,
    end && isCutOff(end, seen)
      ? found('nobody ends an agent while it runs a job', end, `it ended as ${end.conclusion}`)
      : undefined,
    seen[0] && outcomeOf(seen) === 'waits'
      ? found(everyJob, seen[0], starts.length > 0 ? 'it never ended' : 'it waits')
      : undefined,
  ];
  return rules.filter((finding) => finding !== undefined);
}

function isCutOff(end: Extract<NumberedEvent, { event: 'completed' }>, seen: readonly NumberedEvent[]): boolean {
  if (end.conclusion === 'success' || neverRun.has(end.conclusion) || end.mayFail === true) return false;
  return !seen.some(({ event }) => event === 'taken');
}

function checkRunner(runner: string, starts: readonly NumberedEvent[]): Finding[] {
  const [, second] = starts;
  if (second === undefined) return [];
  const jobs = starts.map(({ job }) => job).join(', ');
  return [{ subject: `runner ${runner}`, rule: 'a runner runs one job', seen: `it ran ${jobs}`, line: second.line }];
}

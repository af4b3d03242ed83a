import type { JobEvent, NumberedEvent } from '../../verify/jobs/job-event.ts';
import type { Launch } from '../view/timeline.ts';
import type { SeenAttempt } from './acceptance-ci.ts';

/**
 * What was seen of jobs over several readings of a CI system's list. It keeps what the system forgets: a Gitea shows a
 * runner only while it lives, and a job's last attempt only.
 */
export class SeenJobs {
  readonly #readings = new Map<string, SeenAttempt[]>();

  note(attempts: readonly SeenAttempt[]): void {
    for (const attempt of attempts) {
      const before = this.#readings.get(keyOf(attempt));
      if (before === undefined) this.#readings.set(keyOf(attempt), [attempt]);
      else before.push(attempt);
    }
  }

  /** Each attempt, as it was seen last. */
  get attempts(): SeenAttempt[] {
    return [...this.#readings.values()].flatMap((readings) => readings.at(-1) ?? []);
  }

  /** The history by the CI system's word alone. */
  history(): NumberedEvent[] {
    return inOrder([...this.#readings.values()].flatMap(eventsOf));
  }

  /**
   * The history in which the starts are davit's: a job starts with each launch whose agent runs it. Its end is the CI
   * system's, so that a job that ran on no agent of davit's shows.
   */
  historyBy(launches: readonly Launch[]): NumberedEvent[] {
    const runs = new Map(this.attempts.map((attempt) => [keyOf(attempt), startsOf(attempt, launches)]));
    return inOrder(
      [...this.#readings].flatMap(([key, readings]) => [
        ...eventsOf(readings).filter(({ event }) => event !== 'started'),
        ...(runs.get(key) ?? []),
      ]),
    );
  }
}

function keyOf({ jobId, attempt }: Pick<SeenAttempt, 'jobId' | 'attempt'>): string {
  return `${jobId}/${attempt}`;
}

/** davit's key of a job ends in the job's id and its attempt. The launches are those of one repository's jobs. */
function startsOf(attempt: SeenAttempt, launches: readonly Launch[]): JobEvent[] {
  const job = keyOf(attempt);
  const atEpochMs = attempt.startedAtEpochMs ?? attempt.queuedAtEpochMs ?? 0;
  return launches
    .filter((launch) => launch.job?.jobKey.endsWith(`/${job}`))
    .map(({ launchId }) => ({ atEpochMs, job, event: 'started', runner: launchId }));
}

function eventsOf(readings: readonly SeenAttempt[]): JobEvent[] {
  const [first] = readings;
  if (first === undefined) return [];
  const job = keyOf(first);
  const queuedAtEpochMs = first.queuedAtEpochMs ?? first.startedAtEpochMs ?? 0;
  return [{ atEpochMs: queuedAtEpochMs, job, event: 'queued' }, ...startsIn(readings, job), ...endsIn(readings, job)];
}

/** A start is another one when the CI system shows another moment or another runner than before. */
function startsIn(readings: readonly SeenAttempt[], job: string): JobEvent[] {
  const starts: { atEpochMs: number; runnerId?: number }[] = [];
  for (const { startedAtEpochMs, runnerId } of readings) {
    if (startedAtEpochMs === undefined) continue;
    const last = starts.at(-1);
    const isSameRunner = runnerId === undefined || last?.runnerId === undefined || runnerId === last.runnerId;
    if (last === undefined || last.atEpochMs !== startedAtEpochMs || !isSameRunner) {
      starts.push({ atEpochMs: startedAtEpochMs, ...(runnerId === undefined ? {} : { runnerId }) });
    } else if (runnerId !== undefined) last.runnerId = runnerId;
  }
  return starts.map(({ atEpochMs, runnerId }) => ({
    atEpochMs,
    job,
    event: 'started',
    ...(runnerId === undefined ? {} : { runner: `${runnerId}` }),
  }));
}

function endsIn(readings: readonly SeenAttempt[], job: string): JobEvent[] {
  const ends = new Map<string, number>();
  for (const { conclusion, completedAtEpochMs = 0 } of readings) {
    if (conclusion !== undefined && !ends.has(conclusion)) ends.set(conclusion, completedAtEpochMs);
  }
  return [...ends].map(([conclusion, atEpochMs]) => ({ atEpochMs, job, event: 'completed', conclusion }));
}

const ranks = { queued: 0, started: 1, explained: 2, taken: 2, completed: 3, again: 4 } as const;

/** CI systems count in seconds: of the events of one moment, a job's start comes before its end. */
function inOrder(events: readonly JobEvent[]): NumberedEvent[] {
  return events
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs || ranks[one.event] - ranks[other.event])
    .map((event, index) => ({ ...event, line: index + 1 }));
}

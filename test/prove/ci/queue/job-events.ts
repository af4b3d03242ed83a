import type { JobEvent, NumberedEvent } from '../../../../verify/jobs/job-event.ts';
import type { GiteaJob } from '../gitea/gitea-client.ts';

/** Writes what a Gitea shows of its jobs as their history, in the order of time. */
export function jobEventsOf(jobs: readonly GiteaJob[]): NumberedEvent[] {
  return jobs
    .flatMap(eventsOf)
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs)
    .map((event, index) => ({ ...event, line: index + 1 }));
}

function eventsOf({ id, run_attempt: attempt, ...job }: GiteaJob): JobEvent[] {
  const { created_at: queuedAt, started_at: startedAt, completed_at: completedAt, runner_id: runnerId } = job;
  const of = (at: string) => ({ atEpochMs: Date.parse(at), job: `${id}/${attempt}` });
  // A time that Gitea does not have is the year 1 or 1970.
  const isThere = (at: string | null | undefined): at is string => at != null && Date.parse(at) > 0;
  // Gitea forgets a runner that is gone, and says 0.
  const runner = runnerId === undefined || runnerId === 0 ? {} : { runner: `${runnerId}` };
  return [
    { ...of(queuedAt), event: 'queued' },
    ...(isThere(startedAt) ? [{ ...of(startedAt), event: 'started', ...runner } satisfies JobEvent] : []),
    ...(isThere(completedAt) && job.status === 'completed'
      ? [{ ...of(completedAt), event: 'completed', conclusion: job.conclusion ?? 'none' } satisfies JobEvent]
      : []),
  ];
}

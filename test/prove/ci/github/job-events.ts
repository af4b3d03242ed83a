import type { GithubJob, GithubListener } from '../../../../local/github/github-state.ts';
import type { JobEvent, NumberedEvent } from '../../../../verify/jobs/job-event.ts';

/** What a local GitHub saw of its jobs, in order. */
export interface JobEvents extends Pick<GithubListener, 'onJob'> {
  readonly events: readonly NumberedEvent[];
}

/** Keeps what a local GitHub sees of its jobs. */
export function keepJobEvents(): JobEvents {
  const events: NumberedEvent[] = [];
  return {
    events,
    onJob: (job, action) => {
      const event = eventOf(job, action);
      if (event !== undefined) events.push({ ...event, line: events.length + 1 });
    },
  };
}

/** The conclusion is the steps' own: whoever ends a runner leaves its job in progress. */
function eventOf(
  { id, attempt, runnerId, conclusion }: GithubJob,
  action: Parameters<NonNullable<GithubListener['onJob']>>[1],
): JobEvent | undefined {
  const of = { atEpochMs: Date.now(), job: `${id}/${attempt}` };
  switch (action) {
    case 'queued':
      return { ...of, event: 'queued' };
    case 'in_progress':
      return { ...of, event: 'started', runner: `${runnerId}` };
    case 'completed':
      return { ...of, event: 'completed', conclusion: conclusion ?? 'none', mayFail: true };
    default:
      return undefined;
  }
}

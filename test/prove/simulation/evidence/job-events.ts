import { mayInterrupt } from '../../../../simulation/invariants/queue-agents.ts';
import type { Run } from '../../../../simulation/run-seed.ts';
import type { HistoryEvent } from '../../../../simulation/world/history.ts';
import type { JobEvent, NumberedEvent } from '../../../../verify/jobs/job-event.ts';

type Over = Extract<HistoryEvent, { kind: 'jobOver' }>;

/** Writes what the simulated CI system, its users and the cluster saw of each job. */
export function jobEventsOf({ history, world }: Run): NumberedEvent[] {
  const { server } = world.queue;
  const all = history.flatMap((event): JobEvent[] => {
    if (event.kind !== 'rerunAsked') return eventsOf(event, history);
    const job = server.nameOf({ id: event.id, attempt: event.latest });
    return [{ atEpochMs: event.atEpochMs, job, event: 'again' }];
  });
  return all.map((event, index) => ({ ...event, line: index + 1 }));
}

function eventsOf(event: HistoryEvent, history: readonly HistoryEvent[]): JobEvent[] {
  const { atEpochMs, kind } = event;
  if (kind === 'jobQueued') return [{ atEpochMs, job: event.job, event: 'queued' }];
  if (kind === 'notLaunched') return [{ atEpochMs, job: event.job, event: 'explained', why: event.reason }];
  if (kind === 'jobOver') return endOf(event, history);
  if (kind !== 'handedOut') return [];
  const { job, runnerId, launchId } = event;
  return [{ atEpochMs, job, event: 'started', runner: `${runnerId}`, isForeign: launchId === undefined }];
}

function endOf(over: Over & HistoryEvent, history: readonly HistoryEvent[]): JobEvent[] {
  const { atEpochMs, job, conclusion, byItself } = over;
  if (byItself) return [{ atEpochMs, job, event: 'completed', conclusion, mayFail: true }];
  const why = conclusion === 'failure' ? whyTaken(over, history) : undefined;
  const taken: JobEvent[] = why === undefined ? [] : [{ atEpochMs, job, event: 'taken', why }];
  return [...taken, { atEpochMs, job, event: 'completed', conclusion }];
}

/** Says who took the agent of a job that failed. @returns undefined when davit did, without anybody's wish */
function whyTaken({ launchId, runnerId, atEpochMs }: Over, history: readonly HistoryEvent[]): string | undefined {
  if (launchId === undefined) return 'the runner is not one of davit';
  const before = history.filter((event) => event.atEpochMs <= atEpochMs);
  if (before.some((event) => event.kind === 'runnerGone' && event.runnerId === runnerId)) return undefined;
  const ended = before.find(
    (event) => event.kind === 'recorded' && event.launchId === launchId && event.to === 'cleaning',
  );
  if (ended?.kind !== 'recorded' || ended.ending === undefined) return 'its Pod or its node is gone';
  return mayInterrupt(ended.ending) ? ended.ending.code : undefined;
}

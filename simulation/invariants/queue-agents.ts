import type { Ending } from '../../core/launch/launch-record.ts';
import type { EventOf, Evidence, Invariant, LaunchLife } from './evidence.ts';

/** One job that a launch's agent ran, as its CI system knows it. */
interface Stint {
  job: string;
  fromEpochMs: number;
  /** Infinity for a job that never ended. */
  toEpochMs: number;
}

/** Whatever davit wanted of an agent, a job that its record names changes it. */
export const boundAgents: Invariant = {
  name: '9: no agent is ended as one that runs nothing once its record names its job',
  *check(evidence) {
    const bound = new Map<string, string>();
    for (const event of evidence.acts) {
      if (event.kind === 'bound') bound.set(event.launchId, event.jobKey);
      if (event.kind !== 'recorded' || event.to !== 'cleaning') continue;
      const { launchId, ending } = event;
      const isAsIdle = evidence.launches.get(launchId)?.record?.retiring?.reason === ending?.message;
      if (isAsIdle && bound.has(launchId))
        yield `${launchId} was ended: ${ending?.message}, and ran ${bound.get(launchId)}`;
    }
  },
};

/** Invariant 9 of docs/invariants.md, for a CI system that reports the job of each agent. */
export const queueAgents: Invariant = {
  name: '9: no agent is ended while its CI system says that it runs a job, and none gets a job after its end',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const { launchId, ending } = life;
      if (ending === undefined || mayInterrupt(ending)) continue;
      for (const { job, fromEpochMs, toEpochMs } of stintsOf(life)) {
        if (ending.recordedAtEpochMs >= toEpochMs) continue;
        const when = ending.recordedAtEpochMs >= fromEpochMs ? 'while its agent ran' : 'and its agent was then given';
        yield `${launchId} was ended by ${ending.by}: ${ending.message}, ${when} ${job}`;
      }
    }
  },
};

/** Says whether a person, the agent itself or its age ended it. Other invariants check that davit reports these rightly. */
export function mayInterrupt({ by, code }: Ending): boolean {
  return by === 'DELETE /launches' || by === 'the agent exited' || code === 'AgentLifetimeExceeded';
}

function stintsOf({ events }: LaunchLife): Stint[] {
  const over = new Map(events.filter(isKind('jobOver')).map(({ job, atEpochMs }) => [job, atEpochMs]));
  return events
    .filter(isKind('handedOut'))
    .map(({ job, atEpochMs }) => ({ job, fromEpochMs: atEpochMs, toEpochMs: over.get(job) ?? Infinity }));
}

function isKind<Kind extends 'jobOver' | 'handedOut'>(kind: Kind) {
  return (event: { kind: string }): event is EventOf<Kind> => event.kind === kind;
}

/** The functions that ask for the retirement of agents. */
const retiring = ['reconcile', 'poll-ci'];

/**
 * Says whether a launch that joined a CI system ended as that system's data shows: after its agent's job, or because
 * davit no longer wanted it.
 */
export function isEndedByQueue(evidence: Evidence, life: LaunchLife, ending: Ending): boolean {
  const { record, events } = life;
  if (record?.plan?.join === undefined) return false;
  if (retiring.includes(ending.by)) return isRetired(life) || isTakenByAnother(evidence, life, ending);
  const untilEpochMs = ending.atEpochMs + skewMs;
  const isOver = events.some((event) => event.kind === 'jobOver' && event.atEpochMs <= untilEpochMs);
  const { name } = evidence.run.world.queue.system;
  return (
    ending.by.startsWith(`${name} workflow_job completed`) && (isOver || isPinnedJobOver(evidence, life, untilEpochMs))
  );
}

/** Says whether the only job that a launch's agent may run was over at a moment, whichever agent ran it, if any. */
export function isPinnedJobOver(evidence: Evidence, life: LaunchLife, untilEpochMs: number): boolean {
  const job = pinnedJobOf(life);
  return [...evidence.of('jobOver')].some((event) => event.job === job && event.atEpochMs <= untilEpochMs);
}

/** Says whether another agent got the only job that a launch's agent may run. */
export function isTakenByAnother(evidence: Evidence, life: LaunchLife, ending: Ending): boolean {
  const job = pinnedJobOf(life);
  return [...evidence.of('handedOut')].some(
    (event) => event.job === job && event.launchId !== life.launchId && event.atEpochMs <= ending.atEpochMs + skewMs,
  );
}

function pinnedJobOf({ launchId, record }: LaunchLife): string | undefined {
  return record?.plan?.join?.pinnedTo === undefined ? undefined : launchId.replace(/-x\d+$/, '');
}

/**
 * Says whether reconcile asked for this ending before, and for the retirement that marked the launch: two retirements
 * with different reasons may meet, so that one marks the launch and the other ends it.
 */
function isRetired({ record, events, ending }: LaunchLife): boolean {
  if (ending === undefined || record?.retiring === undefined) return false;
  const asked = events
    .filter((event) => event.kind === 'retirementAsked')
    .filter(({ by, atEpochMs }) => retiring.includes(by) && atEpochMs <= ending.recordedAtEpochMs)
    .map(({ reason }) => reason);
  return asked.includes(ending.message) && asked.includes(record.retiring.reason);
}

/** The clock of the function that wrote the ending may be 2 s behind. */
export const skewMs = 2000;

/** The nonce prevents that an older registration completes after a newer one has begun; the mark, that any does. */
export const registeredRunners: Invariant = {
  name: '9: no launch is recorded with a runner that was taken out of its CI system before, or after nobody wants it any more',
  *check(evidence) {
    const gone = new Set<number>();
    const unwanted = new Set<string>();
    for (const event of evidence.acts) {
      if (event.kind === 'runnerGone') gone.add(event.runnerId);
      if (event.kind === 'retiring') unwanted.add(event.launchId);
      if (event.kind !== 'registered') continue;
      const { launchId, runnerId } = event;
      if (gone.has(runnerId)) yield `${launchId} was recorded with runner ${runnerId}, which was gone`;
      if (unwanted.has(launchId)) yield `${launchId} was recorded with runner ${runnerId} while it was retired`;
    }
  },
};

/** A runner without an agent is left by a registration that came to nothing. One that is being registered has its agent. */
export const orphansOnly: Invariant = {
  name: '9: no reconcile takes the runner of an agent that is wanted out of its CI system',
  *check(evidence) {
    const runnerOf = new Map<string, number>();
    for (const event of evidence.acts) {
      if (event.kind === 'registered') runnerOf.set(event.launchId, event.runnerId);
      if (event.kind === 'retiring') runnerOf.delete(event.launchId);
      if (event.kind === 'recorded' && event.to !== 'launching' && event.to !== 'connected')
        runnerOf.delete(event.launchId);
      if (event.kind !== 'runnerGone' || event.by !== 'reconcile') continue;
      const { launchId = '', runnerId } = event;
      if (runnerOf.get(launchId) === runnerId) yield `runner ${runnerId} of ${launchId} was taken out as nobody's`;
    }
  },
};

/** A CI system such as Gitea deletes a busy runner, too, and its job with it; and hands out a job to a deleted one. */
export const idleRunners: Invariant = {
  name: '9: no runner is taken out of its CI system while it runs a job, and none gets a job after that',
  *check(evidence) {
    const running = new Map<number, string>();
    const gone = new Set<number>();
    for (const event of evidence.acts) {
      if (event.kind === 'handedOut') {
        running.set(event.runnerId, event.job);
        if (gone.has(event.runnerId)) yield `runner ${event.runnerId} was gone, and got ${event.job}`;
      }
      if (event.kind === 'jobOver' && event.runnerId !== undefined) running.delete(event.runnerId);
      if (event.kind !== 'runnerGone') continue;
      gone.add(event.runnerId);
      const job = running.get(event.runnerId);
      if (job !== undefined) yield `runner ${event.runnerId} was taken out of its CI system while it ran ${job}`;
    }
  },
};

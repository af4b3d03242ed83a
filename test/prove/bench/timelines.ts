import { type Job, newJob, untilTaken } from '../../e2e/jobs.ts';
import type { ProfileName } from '../on-cluster/config.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { StateEvent } from '../on-cluster/messages.ts';
import { nowEpochMs } from '../on-cluster/now.ts';

/** A launch as the bench observed it. */
export interface Timeline {
  launchId: string;
  agentName: string;
  sentEpochMs: number;
  /** The time of the webhook's answer. */
  acceptedEpochMs: number;
  events: StateEvent[];
}

/** Requests launches from a davit, and records their events. */
export interface Launcher extends Disposable {
  /** Sends the webhook of a new job. @throws Error when davit does not accept it */
  request(profile: ProfileName): Promise<Timeline>;
  /** Waits until a launch has left a state. @throws Error when its execution fails first, or after minutes */
  left(timeline: Timeline, state: string): Promise<StateEvent>;
  /** Waits until a launch's token is published. */
  published(timeline: Timeline): Promise<Pick<StateEvent, 'atEpochMs'>>;
  /** Waits until a launch has entered a state. */
  entered(timeline: Timeline, state: string): Promise<StateEvent>;
  /** Ends a launch, and forgets it. */
  end(timeline: Timeline): Promise<void>;
}

const longestMs = 180_000;

/** Makes a launcher for a davit. */
export function makeLauncher(davit: LiveDavit): Launcher {
  const events = new Map<string, StateEvent[]>();
  const waiting = new Map<string, Set<() => void>>();
  const eventsOf = (launchId: string) => {
    const known = events.get(launchId) ?? [];
    events.set(launchId, known);
    return known;
  };
  const stop = davit.onEvent((event) => {
    eventsOf(event.launchId).push(event);
    for (const look of waiting.get(event.launchId) ?? []) look();
  });
  const seen = ({ launchId, events: seenOfIt }: Timeline, isIt: (event: StateEvent) => boolean) => {
    const { promise, resolve, reject } = Promise.withResolvers<StateEvent>();
    const looks = waiting.get(launchId) ?? new Set();
    waiting.set(launchId, looks);
    const look = () => {
      const found = seenOfIt.find(isIt);
      if (found !== undefined) resolve(found);
      else if (seenOfIt.some(({ type, error }) => type === 'ended' && error !== undefined))
        reject(new Error(`launch ${launchId} failed`));
    };
    const giveUp = () => {
      const { type, state } = seenOfIt.at(-1) ?? { type: 'nothing', state: '' };
      reject(new Error(`launch ${launchId} got no further than ${type} ${state} within ${longestMs / 1000} s`));
    };
    const timer = setTimeout(giveUp, longestMs);
    looks.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      looks.delete(look);
    });
  };

  const entered = (timeline: Timeline, state: string) =>
    seen(timeline, (event) => event.state === state && event.type === 'entered');

  return {
    request: async (profile) => {
      const job: Job = newJob([profile]);
      const { launchId, agentName } = job;
      const sentEpochMs = nowEpochMs();
      // On an overloaded machine, GitHub redelivers after 5xx, and a repeated write is answered with 200.
      const { status, body } = (await untilTaken(() => davit.github.deliver(job, 'queued'))).at(-1) ?? { status: 0 };
      if (status !== 202 && status !== 200)
        throw new Error(`a webhook was answered ${status}: ${JSON.stringify(body)}`);
      return { launchId, agentName, sentEpochMs, acceptedEpochMs: nowEpochMs(), events: eventsOf(launchId) };
    },
    left: (timeline, state) => seen(timeline, (event) => event.state === state && event.type === 'left'),
    entered,
    published: (timeline) => seen(timeline, ({ type }) => type === 'placed'),
    end: async ({ launchId }) => {
      const { status } = await davit.launches.end(launchId);
      if (status >= 300) throw new Error(`DELETE /launches/${launchId} was answered ${status}`);
      events.delete(launchId);
      waiting.delete(launchId);
    },
    [Symbol.dispose]: stop,
  };
}

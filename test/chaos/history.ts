import type { CompletedToken } from '../../functions/domain/completed-token.ts';
import type { StateEvent } from '../on-cluster/messages.ts';

/** One answer that an agent got. */
export interface Read {
  atEpochMs: number;
  /** 0 when nothing answered. */
  status: number;
  token?: CompletedToken;
  /** What a 200 said that was no token. */
  incomplete?: string;
  /** Where the cluster said, after a token was read, that the agent is; undefined when it was gone by then. */
  isAt?: string;
}

/** All that one agent, which is one Pod, was answered. */
export interface AgentHistory {
  launchId: string;
  agentName: string;
  podUid: string;
  reads: Read[];
}

/** What is known of all launches' executions. */
export class ExecutionHistories {
  readonly #events = new Map<string, StateEvent[]>();
  readonly #listeners = new Set<(event: StateEvent) => void>();

  add(event: StateEvent): void {
    const events = this.#events.get(event.launchId) ?? [];
    events.push(event);
    this.#events.set(event.launchId, events);
    for (const listener of this.#listeners) listener(event);
  }

  /** In the order in which they happened. What happened while davit came up again is not among them. */
  of(launchId: string): readonly StateEvent[] {
    return this.#events.get(launchId) ?? [];
  }

  /** Waits until there are so many more events, or the signal is aborted. */
  pass(events: number, signal: AbortSignal): Promise<void> {
    let left = events;
    return this.#until(() => (left -= 1) <= 0, signal);
  }

  /** Waits until a state is entered by any launch, or the signal is aborted. */
  entered(state: string, signal: AbortSignal): Promise<void> {
    return this.#until((event) => event.type === 'TaskStateEntered' && event.state === state, signal);
  }

  #until(isIt: (event: StateEvent) => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#listeners.delete(look);
        resolve();
      };
      const look = (event: StateEvent) => {
        if (isIt(event)) done();
      };
      this.#listeners.add(look);
      if (signal.aborted) done();
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

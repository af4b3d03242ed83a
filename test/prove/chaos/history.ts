import type { CompletedToken } from '../../../core/launch/completed-token.ts';
import type { StateEvent } from '../on-cluster/messages.ts';

/** One answer to an agent. */
export interface Read {
  atEpochMs: number;
  /** 0 for no answer. */
  status: number;
  token?: CompletedToken;
  /** The body of a 200 that was not a token. */
  incomplete?: string;
  /** The agent's address by the cluster, read after its token; undefined when the agent was gone by then. */
  isAt?: string;
}

/** All answers to one agent, which is one Pod. */
export interface AgentHistory {
  launchId: string;
  agentName: string;
  podUid: string;
  reads: Read[];
}

/** The observed events of all launches' executions. */
export class ExecutionHistories {
  readonly #events = new Map<string, StateEvent[]>();
  readonly #listeners = new Set<(event: StateEvent) => void>();

  add(event: StateEvent): void {
    const events = this.#events.get(event.launchId) ?? [];
    events.push(event);
    this.#events.set(event.launchId, events);
    for (const listener of this.#listeners) listener(event);
  }

  /** In the order in which they happened, without the events while davit restarted. */
  of(launchId: string): readonly StateEvent[] {
    return this.#events.get(launchId) ?? [];
  }

  /** Waits for this many further events, or until the signal is aborted. */
  pass(events: number, signal: AbortSignal): Promise<void> {
    let left = events;
    return this.#until(() => (left -= 1) <= 0, signal);
  }

  /** Waits until any launch enters a state, or the signal is aborted. */
  entered(state: string, signal: AbortSignal): Promise<void> {
    return this.#until((event) => event.type === 'entered' && event.state === state, signal);
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

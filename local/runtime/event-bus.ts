import type { EventKinds } from '../../adapters/aws/create-event-bus.ts';
import type { DavitEvent, Events } from '../../ports/events.ts';
import type { Store } from '../store/open-store.ts';
import { outsideOfFunctions } from './function-output.ts';

/** An event, as EventBridge would deliver it. */
export interface BusEvent {
  source: string;
  'detail-type': string;
  time: string;
  detail: Readonly<Record<string, unknown>>;
}

const mostKept = 100;

/** The events of one process: for those who listen here, and for readers of the store. */
export class EventBus {
  readonly #store: Store;
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #events: BusEvent[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** The last hundred events since the start, oldest first. */
  get events(): readonly BusEvent[] {
    return this.#events;
  }

  /** Calls `listener` with each new event. @returns a function that ends this */
  onEvent(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes a sender of some kinds of events. An event that does not match its documentation is not sent. */
  sender<Type extends DavitEvent['type']>(kinds: EventKinds<Type>): Events<Extract<DavitEvent, { type: Type }>> {
    return {
      send: async ({ type, detail }) => {
        const { source, detail: schema } = kinds[type];
        schema.parse(detail);
        const event = { source, 'detail-type': type, time: detail.at, detail: { ...detail } };
        const { sql, write } = this.#store;
        // The change that it tells of is kept until after this write, and would be published again.
        write(() => sql.run`INSERT INTO event (body) VALUES (${JSON.stringify(event)})`);
        this.#events.push(event);
        if (this.#events.length > mostKept) this.#events.shift();
        outsideOfFunctions(() => {
          for (const listener of this.#listeners) listener(event);
        });
      },
    };
  }
}

import type { PublishedToken } from '../core/launch/completed-token.ts';

/** Reads published tokens: agents' addresses, which are no secrets. The connect function may do nothing else with the table. */
export interface TokenReader {
  /** Strongly consistent. @throws TransientError StoreUnavailable */
  get(agentName: string): Promise<PublishedToken | undefined>;
}

/** Publishes tokens. No other port writes them. */
export interface TokenPublisher {
  /**
   * Writes the whole token in one conditional write, if the agent has none.
   *
   * @returns the token in effect: this one, or an earlier one
   * @throws TransientError StoreUnavailable
   */
  publish(published: PublishedToken): Promise<PublishedToken>;
}

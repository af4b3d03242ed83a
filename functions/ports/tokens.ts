import type { PublishedToken } from '../domain/completed-token.ts';

/** Reads published tokens: all that the connect function may do with the table. */
export interface TokenReader {
  /** Strongly consistent. @throws TransientError StoreUnavailable */
  get(agentName: string): Promise<PublishedToken | undefined>;
}

/** Publishes tokens: the only port that writes them. */
export interface TokenPublisher {
  /**
   * Writes the whole token in one conditional write, if the agent has none.
   *
   * @returns the token in effect: this one, or the one that was published before
   * @throws TransientError StoreUnavailable
   */
  publish(published: PublishedToken): Promise<PublishedToken>;
}

import type { PublishedToken } from '../../functions/domain/completed-token.ts';
import type { TokenPublisher, TokenReader } from '../../functions/ports/tokens.ts';

/** The tokens table in memory, with exactly the rules of both of its ports. */
export class MemoryTokens implements TokenReader, TokenPublisher {
  private readonly tokens = new Map<string, PublishedToken>();

  async get(agentName: string): Promise<PublishedToken | undefined> {
    return structuredClone(this.tokens.get(agentName));
  }

  async publish(toPublish: PublishedToken): Promise<PublishedToken> {
    const { agentName } = toPublish.token;
    const published = this.tokens.get(agentName) ?? structuredClone(toPublish);
    this.tokens.set(agentName, published);
    return structuredClone(published);
  }
}

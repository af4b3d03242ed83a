import type { CompletedToken } from '../../functions/domain/completed-token.ts';
import type { TokenPublisher, TokenReader } from '../../functions/ports/tokens.ts';

/** The tokens table in memory: what both of its ports say, and no more. */
export class MemoryTokens implements TokenReader, TokenPublisher {
  private readonly tokens = new Map<string, CompletedToken>();

  async get(agentName: string): Promise<CompletedToken | undefined> {
    return structuredClone(this.tokens.get(agentName));
  }

  async publish(token: CompletedToken): Promise<CompletedToken> {
    const published = this.tokens.get(token.agentName) ?? structuredClone(token);
    this.tokens.set(token.agentName, published);
    return structuredClone(published);
  }
}

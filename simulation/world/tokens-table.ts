import { TransientError } from '../../core/errors/errors.ts';
import type { PublishedToken } from '../../core/launch/completed-token.ts';
import { recordRetentionSeconds } from '../../core/retention.ts';
import type { TokenPublisher, TokenReader } from '../../ports/tokens.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import { longestRemovalMs } from './launches-table.ts';

/** The tokens table: each method is one request to DynamoDB. */
export class TokensTable {
  readonly #core: Core;
  readonly #tokens = new Map<string, PublishedToken>();

  constructor(core: Core) {
    this.#core = core;
  }

  get(agentName: string): PublishedToken | undefined {
    this.#forgetIfExpired(agentName);
    const published = this.#tokens.get(agentName);
    this.#core.history.add({ kind: 'tokenRead', agentName, token: published?.token });
    return published;
  }

  /** Reads from a replica without the last write: davit never does. */
  getStale(agentName: string): PublishedToken | undefined {
    this.#core.history.add({ kind: 'tokenRead', agentName, token: undefined });
    return undefined;
  }

  /** @returns whether there was no token */
  putNew(published: PublishedToken): boolean {
    this.#forgetIfExpired(published.token.agentName);
    if (this.#tokens.has(published.token.agentName)) return false;
    this.put(published);
    return true;
  }

  /** Writes a token without any condition: davit never does. */
  put(published: PublishedToken): void {
    const { token } = published;
    this.#tokens.set(token.agentName, published);
    this.#core.shown.check('the token', token.launchId, published);
    this.#core.history.add({ kind: 'tokenWritten', token });
  }

  /** DynamoDB removes a token as late after its expiry as its launch's record. */
  #forgetIfExpired(agentName: string): void {
    const published = this.#tokens.get(agentName);
    if (published === undefined) return;
    const keptMs = recordRetentionSeconds * 1000 + longestRemovalMs;
    if (this.#core.scheduler.nowEpochMs() < Date.parse(published.token.expiresAt) + keptMs) return;
    this.#tokens.delete(agentName);
    this.#core.history.add({ kind: 'tokenForgotten', agentName });
  }
}

/** The tokens table as one run of a function reaches it. */
export function simulatedTokens(table: TokensTable, invocation: Invocation): TokenReader & TokenPublisher {
  const get = (agentName: string) => invocation.reads('store', () => table.get(agentName));
  return {
    get,
    publish: async (toPublish) => {
      if (await invocation.writes('store', () => table.putNew(toPublish))) return toPublish;
      const published = await get(toPublish.token.agentName);
      if (published === undefined) throw new TransientError('WriteConflict', 'the token was removed');
      return published;
    },
  };
}

import type { CompletedToken } from '../../../functions/domain/completed-token.ts';
import type { TokenPublisher, TokenReader } from '../../../functions/ports/tokens.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';

/** The tokens table: each method is one request to DynamoDB. */
export class TokensTable {
  readonly #core: Core;
  readonly #tokens = new Map<string, CompletedToken>();

  constructor(core: Core) {
    this.#core = core;
  }

  get(agentName: string): CompletedToken | undefined {
    const token = this.#tokens.get(agentName);
    this.#core.history.add({ kind: 'tokenRead', agentName, token });
    return token;
  }

  /** Reads as a replica that the last write has not reached: davit never does. */
  getStale(agentName: string): CompletedToken | undefined {
    this.#core.history.add({ kind: 'tokenRead', agentName, token: undefined });
    return undefined;
  }

  /** @returns whether there was none */
  putNew(token: CompletedToken): boolean {
    if (this.#tokens.has(token.agentName)) return false;
    this.put(token);
    return true;
  }

  /** Writes a token without any condition: davit never does. */
  put(token: CompletedToken): void {
    this.#tokens.set(token.agentName, token);
    this.#core.history.add({ kind: 'tokenWritten', token });
  }
}

/** The tokens table as one run of a function reaches it. */
export class SimulatedTokens implements TokenReader, TokenPublisher {
  readonly #table: TokensTable;
  readonly #invocation: Invocation;

  constructor(table: TokensTable, invocation: Invocation) {
    this.#table = table;
    this.#invocation = invocation;
  }

  async get(agentName: string): Promise<CompletedToken | undefined> {
    return this.#invocation.reads('store', () => this.#table.get(agentName));
  }

  async publish(token: CompletedToken): Promise<CompletedToken> {
    if (await this.#invocation.writes('store', () => this.#table.putNew(token))) return token;
    const published = await this.get(token.agentName);
    if (published === undefined) throw new RangeError('tokens do not expire in a simulation');
    return published;
  }
}

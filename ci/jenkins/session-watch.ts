/** How long after a start of Jenkins a pipeline may not yet wait for the agent on which it goes on, in milliseconds. */
const startingMs = 5 * 60_000;

const markPattern = /\(session ([\w-]+)\)/;

/** Follows which start of Jenkins answers. Each start has a session of its own, in a header of its API. */
export class SessionWatch {
  readonly #nowEpochMs: () => number;
  #session: string | undefined;
  #sinceEpochMs = 0;
  #hasChanged = false;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  /** Reads the session of an answer; an error page has none. */
  heed(headers: Headers): void {
    const session = headers.get('x-jenkins-session') ?? undefined;
    if (session === undefined || session === this.#session) return;
    this.#hasChanged = this.#session !== undefined;
    this.#session = session;
    this.#sinceEpochMs = this.#nowEpochMs();
  }

  get isKnown(): boolean {
    return this.#session !== undefined;
  }

  /** The mark of a node that is made now. */
  get mark(): string {
    return this.#session === undefined ? '' : `(session ${this.#session})`;
  }

  /** Says whether Jenkins has started again since a node was made; for a node without a mark, since this process began. */
  hasRestartedSince(description: string): boolean {
    const [, session] = markPattern.exec(description) ?? [];
    return session === undefined ? this.#hasChanged : session !== this.#session;
  }

  /** Says whether Jenkins may have started just now, as far as this process has seen. */
  get isYoung(): boolean {
    return this.#nowEpochMs() - this.#sinceEpochMs < startingMs;
  }
}

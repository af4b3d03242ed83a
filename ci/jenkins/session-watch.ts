/** The longest time from a start of Jenkins until its pipelines wait for the agents on which they go on, in milliseconds. */
const startingMs = 5 * 60_000;

const markPattern = /\(session ([\w-]+)\)/;

/** Notices when Jenkins restarts: each start has its own session, which a header of the API names. */
export class SessionWatch {
  readonly #nowEpochMs: () => number;
  #session: string | undefined;
  #sinceEpochMs = 0;
  #hasChanged = false;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  /** Notes the session that an answer names. Error pages name none. */
  note(headers: Headers): void {
    const session = headers.get('x-jenkins-session') ?? undefined;
    if (session === undefined || session === this.#session) return;
    this.#hasChanged = this.#session !== undefined;
    this.#session = session;
    this.#sinceEpochMs = this.#nowEpochMs();
  }

  get isKnown(): boolean {
    return this.#session !== undefined;
  }

  /** The text in a new node's description that names the current session; empty before the first answer. */
  get mark(): string {
    return this.#session === undefined ? '' : `(session ${this.#session})`;
  }

  /** Says whether Jenkins has restarted since a node was made; for a node without a mark, since this process began. */
  hasRestartedSince(description: string): boolean {
    const [, session] = markPattern.exec(description) ?? [];
    return session === undefined ? this.#hasChanged : session !== this.#session;
  }

  /** Says whether this process first saw the current session only a few minutes ago: Jenkins may have just started. */
  get isYoung(): boolean {
    return this.#nowEpochMs() - this.#sinceEpochMs < startingMs;
  }
}

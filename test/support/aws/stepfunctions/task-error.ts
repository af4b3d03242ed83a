/**
 * An error that a Task throws into the engine. Retry and Catch match its `name`, and its message becomes `Cause`.
 * The engine calls `isRetryable` and `isCatchable` on every error that it receives.
 */
export class TaskError extends Error {
  override readonly name: string;
  readonly isRetryable: boolean;
  readonly isCatchable: boolean;

  constructor(name: string, cause: string, handling: 'matched' | 'unmatched' = 'matched') {
    super(cause);
    this.name = name;
    this.isRetryable = handling === 'matched';
    this.isCatchable = handling === 'matched';
  }
}

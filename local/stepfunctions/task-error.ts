/**
 * What a Task throws into the engine: `name` is matched by Retry and Catch, the message becomes `Cause`.
 * The engine asks `isRetryable` and `isCatchable` of every error that it gets.
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

import type { ExitReason } from './exit-codes.ts';

/** An error for a person: its message says what is wrong, and its advice what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly reason: ExitReason;
  /** A stable code, such as the name of a problem of the API. */
  readonly code: string;
  readonly advice: string | undefined;

  constructor(reason: ExitReason, code: string, message: string, advice?: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
    this.code = code;
    this.advice = advice;
  }
}

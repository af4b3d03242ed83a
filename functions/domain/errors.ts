import type { ErrorCode, PendingCode, RelaunchCode, TerminalCode, TransientCode } from './error-codes.ts';
import { isErrorCode } from './error-codes.ts';
import { maskJwts } from './mask-secrets.ts';
import { shorten } from './well-formed.ts';

/** What an error is about, as far as it is known; each name that is there ends up in the message. */
export interface ErrorSubject {
  launchId?: string;
  cluster?: string;
  namespace?: string;
  service?: string;
  pod?: string;
  node?: string;
  container?: string;
  image?: string;
}

const maxSaidCharacters = 1000;

/**
 * The base of every error that davit throws on purpose. Its `message` starts with its `code`, because of an error
 * that a Lambda throws Step Functions keeps nothing but the name and the message.
 */
export abstract class DavitError<Code extends ErrorCode = ErrorCode> extends Error {
  /** What the state machine's `ErrorEquals` matches; one per family. */
  abstract override readonly name: 'PendingError' | 'TransientError' | 'RelaunchError' | 'TerminalError';
  readonly code: Code;
  /** What happened, in the cluster's own words where there are any, without code, names and credentials. */
  readonly detail: string;
  readonly subject: ErrorSubject;

  constructor(code: Code, detail: string, subject: ErrorSubject = {}, options?: ErrorOptions) {
    const masked = maskJwts(detail);
    const said = `${shorten(masked, maxSaidCharacters)}${masked.length > maxSaidCharacters ? '…' : ''}`;
    super(`${code}: ${said}${namesOf(subject)}`, options);
    this.code = code;
    this.detail = said;
    this.subject = subject;
  }
}

/** Too early: the same step is run again until its deadline. */
export class PendingError extends DavitError<PendingCode> {
  override readonly name = 'PendingError';
}

/** Something on the way failed: the same step is run again, backed off, a bounded number of times. */
export class TransientError extends DavitError<TransientCode> {
  override readonly name = 'TransientError';
}

/** Infrastructure took the Pod, which is nobody's fault: the launch is tried again under a new agent name. */
export class RelaunchError extends DavitError<RelaunchCode> {
  override readonly name = 'RelaunchError';
}

/** The launch fails now and is cleaned up; for an infrastructure's code, when it is not to be tried again. */
export class TerminalError extends DavitError<TerminalCode | RelaunchCode> {
  override readonly name = 'TerminalError';
}

/** Reads the code that a davit error's message starts with; undefined for the message of any other error. */
export function codeOfMessage(message: string): ErrorCode | undefined {
  const code = /^([A-Za-z]+): /.exec(message)?.[1];
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

function namesOf(subject: ErrorSubject): string {
  const names = Object.entries(subject).map(([what, name]) => `${what === 'launchId' ? 'launch' : what} ${name}`);
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

import type { ClusterReason } from '../cluster/connection.ts';
import { shorten } from '../well-formed.ts';
import {
  type ErrorCode,
  isErrorCode,
  type PendingCode,
  type RelaunchCode,
  type TerminalCode,
  type TransientCode,
} from './error-codes.ts';
import { maskJwts } from './mask-secrets.ts';

/** The subject of an error, as far as it is known. The message contains each name that is present. */
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
 * The base of every error that davit throws on purpose. Its `message` starts with its `code`, because Step Functions
 * keeps only the name and the message of an error that a Lambda throws.
 */
export abstract class DavitError<Code extends ErrorCode = ErrorCode> extends Error {
  /** The name that the state machine's `ErrorEquals` matches; one per family. */
  abstract override readonly name:
    | 'PendingError'
    | 'TransientError'
    | 'ClusterAwayError'
    | 'RelaunchError'
    | 'TerminalError';
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

/** Too early: Step Functions repeats the step until its deadline. */
export class PendingError extends DavitError<PendingCode> {
  override readonly name = 'PendingError';
}

/** A service or a connection failed: Step Functions repeats the step a limited number of times, with backoff. */
export class TransientError extends DavitError<TransientCode> {
  override readonly name: 'TransientError' | 'ClusterAwayError' = 'TransientError';
  /** Why davit could not reach a cluster; undefined for other errors. */
  readonly reason: ClusterReason | undefined;

  constructor(
    code: TransientCode,
    detail: string,
    subject?: ErrorSubject,
    { reason, ...options }: ErrorOptions & { reason?: ClusterReason } = {},
  ) {
    super(code, detail, subject, options);
    this.reason = reason;
  }
}

/** A launch's cluster is away: Step Functions repeats the step, at most a minute later, until its deadline. */
export class ClusterAwayError extends TransientError {
  override readonly name = 'ClusterAwayError';
}

/**
 * The launch is not at fault: infrastructure took its Pod, or its cluster cannot run it now. davit launches again under
 * a new agent name.
 */
export class RelaunchError extends DavitError<RelaunchCode> {
  override readonly name = 'RelaunchError';
}

/** The launch fails now, and davit cleans it up. With a code of infrastructure, no relaunch is left. */
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

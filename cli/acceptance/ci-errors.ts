import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { KeptElsewhere } from '../api/secret-source.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';

/** What the CI system refuses, and a credential that cannot be read, is the caller's to mend, and no defect. @throws CliError */
export async function orRefused<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw ciErrorOf(error) ?? error;
  }
}

function ciErrorOf(error: unknown): CliError | undefined {
  if (error instanceof KeptElsewhere) return new CliError('usage', 'secret-elsewhere', error.message);
  if (error instanceof TransientError) {
    return new CliError('unreachable', 'ci-unavailable', wordsOf(error), undefined, error);
  }
  if (error instanceof TerminalError) {
    const advice = 'The credential needs more than davit does: docs/acceptance.md lists its permissions.';
    return new CliError('refused', 'ci-refused', wordsOf(error), advice, error);
  }
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  return new CliError('usage', 'no-file', `a secret cannot be read: ${error.message}`, undefined, error);
}

import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';
import { KeptElsewhere } from './secret-source.ts';

/**
 * Turns a refusal of the CI system, or a credential that cannot be read, into an error for the caller: it is no defect.
 *
 * @param advice what the caller does about a refusal
 * @throws CliError
 */
export async function orRefused<Result>(call: Promise<Result>, advice: string): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw ciErrorOf(error, advice) ?? error;
  }
}

function ciErrorOf(error: unknown, advice: string): CliError | undefined {
  if (error instanceof KeptElsewhere) return new CliError('usage', 'secret-elsewhere', error.message);
  if (error instanceof TransientError) {
    return new CliError('unreachable', 'ci-unavailable', wordsOf(error), undefined, error);
  }
  if (error instanceof TerminalError) {
    return new CliError('refused', 'ci-refused', wordsOf(error), advice, error);
  }
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  return new CliError('usage', 'no-file', `a secret cannot be read: ${error.message}`, undefined, error);
}

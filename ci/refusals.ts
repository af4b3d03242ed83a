import { TerminalError } from '../core/errors/errors.ts';

/**
 * Makes the refusals of what a kind of CI system cannot do.
 *
 * @param name the configured name, for the message
 * @returns a function that throws TerminalError CiRefused
 */
export function refusalsOf(name: string, provider: string): (what: string) => never {
  return (what) => {
    throw new TerminalError('CiRefused', `${name}: ${provider} ${what}`);
  };
}

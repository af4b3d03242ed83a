import { TerminalError } from '../core/errors/errors.ts';

/**
 * Checks that an HTTP header takes a credential. `fetch` refuses one with a line break inside, and repeats it in its error.
 *
 * @param what the request, for the message
 * @throws TerminalError CiRefused, without the credential
 */
export function checkCredential(what: string, credential: string): void {
  try {
    new Headers().set('authorization', credential);
  } catch {
    const detail =
      'the secret of its credential has a line break inside, or another character that no HTTP header takes';
    throw new TerminalError('CiRefused', `${what}: ${detail}`);
  }
}

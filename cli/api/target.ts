import { CliError } from '../cli-error.ts';

/** The davit that a command is for. */
export type Target =
  /** A deployed one, by its CloudFormation stack. */
  | { kind: 'stack'; stack: string }
  /** A local one, by the URL of its HTTP API. */
  | { kind: 'url'; url: string }
  /** The local one with the caller's state directory. */
  | { kind: 'state' };

/** The options by which a caller names it. */
export interface TargetOptions {
  url?: string;
  stack?: string;
  /** Whether the caller names a state directory, and does not leave it to the default. */
  isStateNamed?: boolean;
}

/**
 * Chooses the davit: options win over the environment, a URL over a stack, and both over a state directory. An empty
 * variable of the environment counts as absent.
 *
 * @throws CliError for a text that is no URL of a davit
 */
export function targetOf(
  { url, stack, isStateNamed = false }: TargetOptions,
  env: Readonly<Record<string, string | undefined>>,
): Target {
  if (url !== undefined) return byUrl(url);
  if (stack !== undefined) return { kind: 'stack', stack };
  const { DAVIT_URL = '', DAVIT_STACK = '' } = isStateNamed ? {} : env;
  if (DAVIT_URL !== '') return byUrl(DAVIT_URL);
  return DAVIT_STACK === '' ? { kind: 'state' } : { kind: 'stack', stack: DAVIT_STACK };
}

function byUrl(text: string): Target {
  const url = URL.parse(text);
  // The other message would show the password.
  if (url?.password) throw urlInvalid('expected a URL without a password');
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(text))
    throw urlInvalid(`expected an http or https URL without a user or a query, found '${text}'`);
  return { kind: 'url', url: text.replace(/\/+$/, '') };
}

function urlInvalid(message: string): CliError {
  const advice = 'Give the URL that `davit local` prints, such as http://127.0.0.1:8080: --url, or DAVIT_URL.';
  return new CliError('usage', 'url-invalid', message, advice);
}

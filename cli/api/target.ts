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
}

/**
 * Chooses the davit: options win over the environment, and a URL over a stack.
 *
 * @throws CliError for a text that is no URL
 */
export function targetOf({ url, stack }: TargetOptions, env: Readonly<Record<string, string | undefined>>): Target {
  if (url !== undefined) return byUrl(url);
  if (stack !== undefined) return { kind: 'stack', stack };
  const { DAVIT_URL, DAVIT_STACK } = env;
  if (DAVIT_URL !== undefined) return byUrl(DAVIT_URL);
  return DAVIT_STACK === undefined ? { kind: 'state' } : { kind: 'stack', stack: DAVIT_STACK };
}

function byUrl(url: string): Target {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    const advice = 'Give the URL that `davit local` prints, such as http://127.0.0.1:8080: --url, or DAVIT_URL.';
    throw new CliError('usage', 'url-invalid', `expected an http or https URL, found '${url}'`, advice);
  }
  return { kind: 'url', url: url.replace(/\/+$/, '') };
}

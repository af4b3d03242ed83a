import { TerminalError } from '../core/errors/errors.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Reads the credentials of CI systems, and keeps them for a while. */
export type CiSecrets = Pick<Secrets, 'read' | 'refresh'>;

/** How an adapter reads its token, and reads it again after a 401. */
export interface TokenReader {
  readToken: () => Promise<string>;
  renew: () => Promise<void>;
}

/** How an adapter reaches its CI system, and with what. */
export interface CiAccess {
  /** The configured name, for error messages. */
  name: string;
  /** The system's URL as people open it, without a slash at its end. */
  url: string;
  /** Reads davit's token for the system. */
  readToken: () => Promise<string>;
  /** Called after a 401, because the token may have been rotated. davit then makes the request once more. @default none */
  renew?: () => Promise<void>;
  timeoutMs: number;
}

/** Reads a CI system's token. @throws TerminalError CiRefused when davit.yaml names none */
export function tokenReaderOf(
  { name, tokenSecret }: { name: string; tokenSecret?: string | undefined },
  secrets: CiSecrets,
): TokenReader {
  if (tokenSecret === undefined) {
    throw new TerminalError('CiRefused', `davit.yaml gives no credential for the CI system ${name}`);
  }
  return { readToken: () => secrets.read(tokenSecret), renew: async () => void (await secrets.refresh(tokenSecret)) };
}

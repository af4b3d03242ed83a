import { TerminalError } from '../core/errors/errors.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Reads the credentials of CI systems, and keeps them for a while. */
export type CiSecrets = Pick<Secrets, 'read' | 'refresh'>;

/** How an adapter reads its token, and reads it again after a 401. */
export interface TokenReader {
  readToken: () => Promise<string>;
  renew: () => Promise<void>;
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

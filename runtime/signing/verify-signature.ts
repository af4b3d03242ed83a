import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';

/** How to check one signature. */
export interface SignatureCheck<Found> {
  /** The version that the signature names; undefined when it names none, and all are tried. */
  secretId?: string | undefined;
  /** Checks the signature with one version. @returns its content; undefined when this version did not make it */
  by: (secret: SigningSecret) => Promise<Found | undefined>;
}

/**
 * Checks a signature, and returns its content. Tries the cached versions of the secret first, then reads them again
 * once. If the signature names a known version, a second read would not help.
 *
 * @returns undefined when no accepted version made it
 */
export async function verifySignature<Found>(
  secrets: SigningSecrets,
  check: SignatureCheck<Found>,
): Promise<Found | undefined> {
  const known = await secrets.accepted();
  const found = await firstBy(known, check);
  if (found !== undefined || known.some(({ id }) => id === check.secretId)) return found;
  const fresh = await secrets.refreshed();
  return fresh === known ? undefined : firstBy(fresh, check);
}

async function firstBy<Found>(
  secrets: readonly SigningSecret[],
  { secretId, by }: SignatureCheck<Found>,
): Promise<Found | undefined> {
  for (const secret of secrets) {
    // Everybody knows an empty one, which a file has for a moment while a program writes it.
    if (secret.text === '') continue;
    const found = secretId === undefined || secret.id === secretId ? await by(secret) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

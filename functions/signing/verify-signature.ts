import type { SigningSecret, SigningSecrets } from '../ports/signing-secrets.ts';

/** How to check one signature. */
export interface SignatureCheck<Found> {
  /** The version that the signature names; undefined when it names none, and all are tried. */
  secretId?: string | undefined;
  /** Checks the signature with one version. @returns what it stands for; undefined when this version did not make it */
  by: (secret: SigningSecret) => Promise<Found | undefined>;
}

/**
 * Finds what a signature stands for. Checks the cached versions first, then reads them again once. A signature that names
 * a known version is not worth a second read.
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
    const found = secretId === undefined || secret.id === secretId ? await by(secret) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

import type { SigningSecret, SigningSecrets } from '../ports/signing-secrets.ts';

/** How one signature is checked. */
export interface SignatureCheck<Found> {
  /** The version that the signature says it was made with; undefined when it says nothing, and all are tried. */
  secretId?: string | undefined;
  /** Checks the signature with one version. @returns what it stands for; undefined when this one did not make it */
  by: (secret: SigningSecret) => Promise<Found | undefined>;
}

/**
 * Finds what a signature stands for, by the accepted versions of a secret: as they are known and, if none of those made
 * it, as they are now. Of one that names a known version there is nothing to learn: it is no good.
 *
 * @returns undefined when no accepted version made it
 */
export async function signedBy<Found>(
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

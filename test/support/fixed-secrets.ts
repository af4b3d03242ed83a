import type { SigningSecret, SigningSecrets } from '../../functions/ports/signing-secrets.ts';

/** Secrets that all say the same, read or read anew. */
export function fixedSecrets(text: string): { read: () => Promise<string>; refresh: () => Promise<string> } {
  const read = async () => text;
  return { read, refresh: read };
}

/** The id of the one version that fixed secrets have. */
export const fixedSecretId = '5f8c0a52-0a4e-4b7e-9d7e-1f1f6c1d2a3b';

/** A secret that signatures are made with, of one version that never changes. */
export function fixedSigning(text: string, id = fixedSecretId): SigningSecrets {
  const accepted = [{ id, text }];
  return { accepted: async () => accepted, refreshed: async () => accepted };
}

/** Secrets that are others once they are looked at again. */
export function rotatedSigning(known: readonly SigningSecret[], fresh: readonly SigningSecret[]): RotatedSigning {
  const rotated: RotatedSigning = {
    refreshes: 0,
    accepted: async () => (rotated.refreshes === 0 ? known : fresh),
    refreshed: async () => {
      rotated.refreshes += 1;
      return fresh;
    },
  };
  return rotated;
}

/** Counts how often it was looked at again. */
export interface RotatedSigning extends SigningSecrets {
  refreshes: number;
}

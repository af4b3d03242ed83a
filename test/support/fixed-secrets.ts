import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';

/** Secrets with one fixed value, cached or read anew. */
export function fixedSecrets(text: string): { read: () => Promise<string>; refresh: () => Promise<string> } {
  const read = async () => text;
  return { read, refresh: read };
}

/** The id of the one version that fixed secrets have. */
export const fixedSecretId = '5f8c0a52-0a4e-4b7e-9d7e-1f1f6c1d2a3b';

/** A signing secret with one version that never changes. */
export function fixedSigning(text: string, id = fixedSecretId): SigningSecrets {
  const accepted = [{ id, text }];
  return { accepted: async () => accepted, refreshed: async () => accepted };
}

/** Secrets whose value changes when they are read anew. */
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

/** The number of times that a secret was read anew. */
export interface RotatedSigning extends SigningSecrets {
  refreshes: number;
}

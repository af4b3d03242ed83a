import type { SigningSecret, SigningSecrets } from '../ports/signing-secrets.ts';
import { createAgedCache } from './aged-cache.ts';

/** A version of a secret. */
export interface SecretVersion extends SigningSecret {
  createdAtEpochMs: number;
}

/** Where the versions of secrets are read, by the secrets' ids. */
export interface SecretVersions {
  current: (id: string) => Promise<SecretVersion>;
  /** The one before the current one, if there is one. */
  previous: (id: string) => Promise<SecretVersion | undefined>;
  /** How long versions are used before they are read again. */
  maxAgeMs: number;
  nowEpochMs: () => number;
}

/**
 * How long the version before the current one is accepted: longer than any credential lives, seven hours. Secrets
 * Manager itself keeps it until the next rotation.
 */
const previousForMs = 24 * 60 * 60_000;

/**
 * How soon a secret that signatures are checked with is read again because one of them was wrong. Whatever rubbish is
 * sent, a function's process makes two calls in this time: 17,280 a day, at $0.05 for 10,000 less than $0.09.
 */
const leastRefreshMs = 10_000;

/**
 * Until when a new version signs nothing. Whoever meets it then has been able to look again since it was made, by
 * however many seconds the clocks of two functions and of Secrets Manager differ.
 */
const notYetSigningMs = 2 * leastRefreshMs;

/** Keeps the accepted versions of secrets for a while, in one process. @returns each secret's, by its id */
export function createSigningSecrets(source: SecretVersions): (id: string) => SigningSecrets {
  const { maxAgeMs, nowEpochMs } = source;
  const versions = createAgedCache<readonly SigningSecret[]>({
    maxAgeMs,
    nowEpochMs,
    load: async (id, known) => {
      const found = await acceptedVersions(source, id);
      return known !== undefined && isSame(known, found) ? known : found;
    },
  });
  return (id) => ({
    accepted: () => versions.get(id),
    refreshed: async () => {
      const { atEpochMs, failure } = versions.lastLoad(id) ?? { atEpochMs: 0 };
      if (nowEpochMs() - atEpochMs >= leastRefreshMs) return versions.reload(id);
      // What there is now is not known: to whom it matters is to ask again, and not to be refused.
      if (failure !== undefined) throw failure;
      return versions.get(id);
    },
  });
}

/** The version before is asked for while it is accepted only: mostly, there is one call to make. */
async function acceptedVersions(source: SecretVersions, id: string): Promise<SecretVersion[]> {
  const current = await source.current(id);
  const ageMs = source.nowEpochMs() - current.createdAtEpochMs;
  if (ageMs >= previousForMs) return [current];
  const previous = await source.previous(id);
  if (previous === undefined) return [current];
  return ageMs < notYetSigningMs ? [previous, current] : [current, previous];
}

function isSame(ones: readonly SigningSecret[], others: readonly SigningSecret[]): boolean {
  return ones.length === others.length && ones.every(({ id }, index) => id === others[index]?.id);
}

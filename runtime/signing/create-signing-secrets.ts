import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';
import { createAgedCache } from '../aged-cache.ts';

/** A version of a secret. */
export interface SecretVersion extends SigningSecret {
  createdAtEpochMs: number;
}

/** Reads the versions of secrets, by the secrets' ids. */
export interface SecretVersions {
  current: (id: string) => Promise<SecretVersion>;
  /** The version before the current one; undefined when there is none. */
  previous: (id: string) => Promise<SecretVersion | undefined>;
  /** How long versions are cached. */
  maxAgeMs: number;
  nowEpochMs: () => number;
}

/**
 * How long the previous version is accepted: longer than the longest credential lives (seven hours). Secrets Manager
 * keeps it until the next rotation.
 */
const previousForMs = 24 * 60 * 60_000;

/**
 * The shortest time between two reads of a secret because of a wrong signature. However many bad signatures arrive, a
 * function's process makes two calls in this time: 17,280 a day, at $0.05 for 10,000 less than $0.09.
 */
const leastRefreshMs = 10_000;

/**
 * How long a new version signs nothing. By then every reader has refreshed its cache, even if the clocks of two functions
 * and of Secrets Manager differ by some seconds.
 */
const notYetSigningMs = 2 * leastRefreshMs;

/** Caches the accepted versions of secrets in one process. @returns a function from a secret's id to its versions */
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
      // The present versions are unknown. The caller must ask again instead of being refused.
      if (failure !== undefined) throw failure;
      return versions.get(id);
    },
  });
}

/** Reads the previous version only while it is accepted, so that usually one call is enough. */
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

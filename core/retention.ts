/** How long a record is kept, in seconds: longer than anything of its launch can live, so a late webhook finds it. */
export const recordRetentionSeconds = 14 * 24 * 3600;

/**
 * The longest that an agent may live, in seconds: its launch ends a day before its record expires, so every agent has a
 * record.
 */
export const longestAgentLifetimeSeconds = recordRetentionSeconds - 24 * 3600;

/** The longest that davit holds the Pod of a failed launch, in seconds: a day, so that its record outlives it by far. */
export const longestHoldSeconds = 24 * 3600;

/** Says when the record of a request expires, in seconds since 1970-01-01T00:00:00Z. */
export function expiryOf(requestedAtEpochMs: number): number {
  return Math.ceil(requestedAtEpochMs / 1000) + recordRetentionSeconds;
}

/** A record that is removed some time after it has expired. */
export interface Expiring {
  expiresAtEpochSeconds: number;
}

/**
 * The first revision of a new record. It is greater than any of an earlier record of the same key: that one had expired, and
 * a record has less than one write in a millisecond.
 */
export function firstRevisionOf({ expiresAtEpochSeconds }: Expiring): number {
  return expiresAtEpochSeconds * 1000;
}

/** Derives the time of a request from its record's expiry. @returns to the second, never before the request */
export function requestedAtOf(expiresAtEpochSeconds: number): number {
  return (expiresAtEpochSeconds - recordRetentionSeconds) * 1000;
}

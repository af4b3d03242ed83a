/**
 * What a version is known not to understand of what today's writes: a rollback to it, and the minute in which it is being
 * replaced, fail on these and on no others.
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
export const knownExceptions: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': [],
};

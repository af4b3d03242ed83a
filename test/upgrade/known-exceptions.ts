/**
 * The fields that today's version writes and an earlier version cannot read. A rollback to that version, and the minute
 * of its replacement, fail on these fields and on no others.
 *
 * @see docs/adr/0009-every-version-reads-the-others-data.md
 */
export const knownExceptions: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': [],
};

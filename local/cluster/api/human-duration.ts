const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Two units, the smaller one left out if there is none of it. */
const both = (seconds: number, large: number, largeName: string, small: number, smallName: string): string => {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
};

const one = (seconds: number, unit: number, name: string): string => `${Math.floor(seconds / unit)}${name}`;

/**
 * Writes a duration as kubectl does: shorter the longer it is.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/util/duration#HumanDuration
 */
export const humanDuration = (durationMs: number): string => {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) {
    return '<invalid>';
  }
  if (seconds < 2 * MINUTE_SECONDS) {
    return `${Math.max(0, seconds)}s`;
  }
  if (seconds < 10 * MINUTE_SECONDS) {
    return both(seconds, MINUTE_SECONDS, 'm', 1, 's');
  }
  if (seconds < 3 * HOUR_SECONDS) {
    return one(seconds, MINUTE_SECONDS, 'm');
  }
  if (seconds < 8 * HOUR_SECONDS) {
    return both(seconds, HOUR_SECONDS, 'h', MINUTE_SECONDS, 'm');
  }
  if (seconds < 2 * DAY_SECONDS) {
    return one(seconds, HOUR_SECONDS, 'h');
  }
  if (seconds < 8 * DAY_SECONDS) {
    return both(seconds, DAY_SECONDS, 'd', HOUR_SECONDS, 'h');
  }
  if (seconds < 2 * YEAR_SECONDS) {
    return one(seconds, DAY_SECONDS, 'd');
  }
  return seconds < 8 * YEAR_SECONDS
    ? both(seconds, YEAR_SECONDS, 'y', DAY_SECONDS, 'd')
    : one(seconds, YEAR_SECONDS, 'y');
};

/** How long ago a time of the wire was, for a column. */
export const age = (time: string | null | undefined, nowEpochMs: number): string =>
  time === undefined || time === null ? '<unknown>' : humanDuration(nowEpochMs - Date.parse(time));

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;
const yearSeconds = 365 * daySeconds;

/** Formats two units and omits the smaller one if it is zero. */
function both(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

function one(seconds: number, unit: number, name: string): string {
  return `${Math.floor(seconds / unit)}${name}`;
}

/**
 * Formats a duration as kubectl does: the longer it is, the coarser its units are.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/util/duration#HumanDuration
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 2 * minuteSeconds) return `${Math.max(0, seconds)}s`;
  if (seconds < 10 * minuteSeconds) return both(seconds, minuteSeconds, 'm', 1, 's');
  if (seconds < 3 * hourSeconds) return one(seconds, minuteSeconds, 'm');
  if (seconds < 8 * hourSeconds) return both(seconds, hourSeconds, 'h', minuteSeconds, 'm');
  if (seconds < 2 * daySeconds) return one(seconds, hourSeconds, 'h');
  if (seconds < 8 * daySeconds) return both(seconds, daySeconds, 'd', hourSeconds, 'h');
  if (seconds < 2 * yearSeconds) return one(seconds, daySeconds, 'd');
  return seconds < 8 * yearSeconds ? both(seconds, yearSeconds, 'y', daySeconds, 'd') : one(seconds, yearSeconds, 'y');
}

/** Formats the age of a timestamp for a column. */
export function age(time: string | null | undefined, nowEpochMs: number): string {
  return time === undefined || time === null ? '<unknown>' : humanDuration(nowEpochMs - Date.parse(time));
}

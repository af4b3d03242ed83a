const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its largest unit and the next one: `2 min 5 s`, `1 d`. */
export function durationWords(ms: number): string {
  const all = Math.max(0, Math.round(ms / 1000));
  const largest = units.findIndex(([, seconds]) => all >= seconds);
  if (largest === -1) return '0 s';
  let rest = all;
  const parts = units.slice(largest, largest + 2).map(([unit, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.join(' ').trimEnd();
}

/** Formats a short duration more exactly: `350 ms`. */
export function exactDurationWords(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : durationWords(ms);
}

/** Reads a duration such as `90s`, `10m`, `2h`, `1d`. @returns milliseconds; undefined for another text */
export function readDuration(text: string): number | undefined {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text);
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[match?.[2] ?? ''];
  return seconds === undefined ? undefined : Number(match?.[1]) * seconds * 1000;
}

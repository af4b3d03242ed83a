import type { Contender, Figure } from '../figure.ts';

/** Formats figures for a terminal. */
export function linesOf(figures: readonly Figure[]): string {
  return figures
    .map(({ name, unit, contenders, goal, note }) => {
      const widest = Math.max(...contenders.map((each) => each.name.length));
      const lines = contenders.map((each) => `  ${each.name.padEnd(widest)}  ${valueText(each, unit)}`);
      const judged =
        goal === undefined ? '' : `: ${round(goal.value)}, goal ${goal.limit} ${goal.isMet ? '✓' : '✗ missed'}`;
      return [`${name}${judged}`, ...lines, ...(note === undefined ? [] : [`  ${note}`])].join('\n');
    })
    .join('\n\n');
}

/** Rounds to three significant digits. */
export function round(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\.0+$/, '');
}

function valueText({ value, low, high, samples }: Contender, unit: string): string {
  const between = low === undefined || high === undefined ? [] : [`${round(low)} to ${round(high)}`];
  const details = [...between, ...(samples === undefined ? [] : [`n=${samples}`])];
  const inBrackets = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `${round(value)}${unit === '' ? '' : ` ${unit}`}${inBrackets}`;
}

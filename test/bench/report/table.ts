import type { Contender, Figure } from '../figure.ts';

/** Formats the goals and whether they are met as a Markdown table. */
export function goalsOf(figures: readonly Figure[]): string {
  const rows = figures.flatMap(({ name, goal }) =>
    goal === undefined ? [] : [[name, goal.limit, round(goal.value), goal.isMet ? 'met' : '**missed**']],
  );
  return markdownOf([['measure', 'goal', 'found', ''], ...rows]);
}

/** Formats figures as a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, unit, contenders, note }) => [
    name,
    contenders.map((each) => `${each.name}: ${valueText(each, unit)}`).join('<br>'),
    note ?? '',
  ]);
  return markdownOf([['measure', 'figures', 'note'], ...rows]);
}

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

function markdownOf([head = [], ...rows]: readonly string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}\n`;
}

function valueText({ value, low, high, samples }: Contender, unit: string): string {
  const between = low === undefined || high === undefined ? [] : [`${round(low)} to ${round(high)}`];
  const details = [...between, ...(samples === undefined ? [] : [`n=${samples}`])];
  const inBrackets = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `${round(value)}${unit === '' ? '' : ` ${unit}`}${inBrackets}`;
}

import type { Contender, Figure } from '../figure.ts';
import { round } from './table.ts';

const width = 760;
const labelWidth = 330;
const barWidth = 300;
const rowHeight = 30;
const headHeight = 44;
const colours = ['#4c78a8', '#f58518', '#54a24b', '#b279a2'] as const;

/** Draws a figure as a bar chart, with the spread as a line. It is readable on light and dark backgrounds. */
export function chartOf({ name, unit, contenders }: Figure): string {
  const height = headHeight + contenders.length * rowHeight + 12;
  const most = Math.max(...contenders.map(({ value, high = value }) => Math.max(value, high)), Number.MIN_VALUE);
  const rows = contenders.map((contender, index) => rowOf(contender, index, unit, barWidth / most));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(name)}">
  <rect width="100%" height="100%" fill="#ffffff"/>
  <g font-family="sans-serif" font-size="13" fill="#222222">
    <text x="12" y="24" font-weight="bold">${escape(name)}${unit === '' ? '' : ` (${escape(unit)})`}</text>
${rows.join('\n')}
  </g>
</svg>
`;
}

function rowOf({ name, value, low, high }: Contender, index: number, unit: string, scale: number): string {
  const y = headHeight + index * rowHeight;
  const length = Math.max(1, value * scale);
  const spread =
    low === undefined || high === undefined
      ? ''
      : `
    <path d="M${at(low)} ${y + 9}H${at(high)}M${at(low)} ${y + 5}v8M${at(high)} ${y + 5}v8" stroke="#222222" fill="none"/>`;
  const end = labelWidth + Math.max(length, (high ?? 0) * scale) + 6;
  return `    <text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escape(name)}</text>
    <rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="18" fill="${colours[index % colours.length]}"/>${spread}
    <text x="${end.toFixed(1)}" y="${y + 13}">${round(value)} ${escape(unit)}</text>`;

  function at(measured: number): string {
    return (labelWidth + measured * scale).toFixed(1);
  }
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

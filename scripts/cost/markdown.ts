/** Writes a table. @param right the first column that is aligned on the right. @default none */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], right = Infinity): string {
  return [row(head), row(head.map((_, column) => (column < right ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Writes US dollars: to the cent, and less than a cent to a hundredth of a cent. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** Writes a number with its significant digits. */
export function amount(quantity: number, digits = 4): string {
  return quantity.toLocaleString('en', { maximumSignificantDigits: digits });
}

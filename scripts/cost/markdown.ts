/** Writes a table. @param right from which column on numbers stand on the right; none, when it is not given */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], right = Infinity): string {
  return [row(head), row(head.map((_, column) => (column < right ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Writes US dollars: to the cent, and less than one to the hundredth of it. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** Writes a number to so many digits as say something. */
export function amount(quantity: number, digits = 4): string {
  return quantity.toLocaleString('en', { maximumSignificantDigits: digits });
}

import { printable } from '../../core/printable.ts';

/** One column: its title, and its value for a row. */
export interface Column<Row> {
  title: string;
  of: (row: Row) => string;
}

/**
 * Formats rows as a table, one line each. Cuts the last column to the width.
 *
 * @param width in characters. @default lines may be of any length
 */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width?: number): string[] {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => printable(of(row))))];
  const widths = columns.map((_column, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) => {
    const text = line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
    return (width === undefined || text.trimEnd().length <= width ? text : `${text.slice(0, width - 1)}…`).trimEnd();
  });
}

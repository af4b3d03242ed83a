import { printable } from '../../core/printable.ts';

/** One column: its title, and its value for a row. */
export interface Column<Row> {
  title: string;
  of: (row: Row) => string;
  /**
   * The most characters of a value on a terminal. Others choose how long their names are, and one long name would hide the
   * columns after it in every row. @default any number
   */
  mostOnTerminal?: number;
}

/**
 * Formats rows as a table, one line each. Cuts the last column to the width.
 *
 * @param width in characters. @default lines may be of any length
 */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width?: number): string[] {
  const cellOf = ({ of, mostOnTerminal = Infinity }: Column<Row>, row: Row) =>
    cut(printable(of(row)), width === undefined ? Infinity : mostOnTerminal);
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => cellOf(column, row)))];
  const widths = columns.map((_column, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) => {
    const text = line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
    return cut(text.trimEnd(), width ?? Infinity).trimEnd();
  });
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

import type { SQLOutputValue } from 'node:sqlite';

/** A row as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>;

/** Reads a column of text. @throws TypeError for another kind of value */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`${column}: expected text`);
  return value;
}

/** Reads a column of whole numbers. @throws TypeError for another kind of value */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`${column}: expected a number`);
  return value;
}

/** Reads a column of JSON. */
export function jsonOf(row: Row, column: string): unknown {
  return JSON.parse(textOf(row, column));
}

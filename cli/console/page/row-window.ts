/** The visible part of a long list. */
export interface Sight {
  /** How far the list is scrolled, in pixels. */
  top: number;
  /** The visible height, in pixels. */
  height: number;
  rowHeight: number;
  count: number;
}

/** Rows, from the first to before the end. */
export interface RowWindow {
  first: number;
  end: number;
}

/** How many rows above and below the visible ones exist, too. */
const spareRows = 8;

/** Returns the visible rows. */
export function rowsInSight({ top, height, rowHeight, count }: Sight): RowWindow {
  const first = Math.min(Math.max(0, Math.floor(top / rowHeight)), Math.max(0, count - 1));
  return { first, end: Math.min(count, Math.ceil((top + height) / rowHeight)) };
}

/** Returns the rows to render: the visible ones, and some around them. */
export function rowsToMake(sight: Sight): RowWindow {
  const { first, end } = rowsInSight(sight);
  return { first: Math.max(0, first - spareRows), end: Math.min(sight.count, end + spareRows) };
}

/** Returns how far to scroll so that a row is visible. */
export function topToShow(index: number, { top, height, rowHeight }: Sight): number {
  if (index * rowHeight < top) return index * rowHeight;
  return Math.max(top, (index + 1) * rowHeight - height);
}

/** Returns the row that a key leads to; undefined for any other key. */
export function rowOfKey(key: string, from: number, { height, rowHeight, count }: Sight): number | undefined {
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count - 1,
  };
  const row = Object.hasOwn(to, key) ? to[key as keyof typeof to] : undefined;
  return row === undefined ? undefined : Math.min(Math.max(row, 0), count - 1);
}

import type { LaunchPages } from './launch-pages.ts';

/** What the page keeps of one entry of the browser's history, until Back or Forward leads there again. */
export interface HistoryEntry {
  id: string;
  /** How far the window was scrolled, in pixels. */
  scrollTop?: number;
  /** What the page last read. An entry has one page, so it has one type. */
  value?: unknown;
  list?: ListPlace;
}

/** The place in a list of launches. */
export interface ListPlace {
  pages: LaunchPages;
  /** How far the list was scrolled, and its height and its rows', in pixels. */
  view?: ListView;
  /** The id of the launch that last had the focus. */
  active?: string;
}

/** The visible part of a list, in pixels. */
export interface ListView {
  top: number;
  height: number;
  rowHeight: number;
}

const mostEntries = 20;
const entries = new Map<string, HistoryEntry>();

/** Returns the present entry. A reload keeps a history's ids, but not what the page has kept. */
export function presentEntry(): HistoryEntry {
  const id = idOf(history.state) ?? crypto.randomUUID();
  const known = entries.get(id);
  if (known !== undefined) return known;
  const entry = { id };
  entries.set(id, entry);
  history.replaceState({ id }, '');
  for (const oldest of entries.keys()) {
    if (entries.size <= mostEntries) break;
    entries.delete(oldest);
  }
  return entry;
}

function idOf(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('id' in state)) return undefined;
  return typeof state.id === 'string' ? state.id : undefined;
}

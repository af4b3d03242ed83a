import type { LaunchPages } from './launch-pages.ts';

/** The state that the page keeps for one entry of the browser's history. Back and Forward restore it. */
export interface HistoryEntry {
  id: string;
  /** The scroll position of the window, in pixels. */
  scrollTop?: number;
  /** The value that the page read last. An entry has only one page, so the value always has the same type. */
  value?: unknown;
  list?: ListPlace;
}

/** The person's place in a list of launches. */
export interface ListPlace {
  pages: LaunchPages;
  /** The visible part of the list. */
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

/** Returns the present entry. A reload keeps the ids in the browser's history, but loses these states. */
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

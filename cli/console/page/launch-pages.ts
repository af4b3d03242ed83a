import { present } from '../../../core/present.ts';
import type { Launch, LaunchList, Status } from './api.ts';

/** The request for one page of launches. */
export interface PageQuery {
  status: Status[];
  limit: number;
  since?: string;
  until?: string;
  cursor?: string;
}

/** The visible rows, by the times of their requests. */
export interface Span {
  /** The oldest of them, in ISO 8601. */
  since?: string;
  /** The newest of them; absent at the top, where new launches appear. */
  until?: string;
}

/** The launches of one filter that have been read, newest first. */
export interface LaunchPages {
  /** The known launches, without a gap between them. */
  launches: () => readonly Launch[];
  /** Whether there are no older launches. */
  isComplete: () => boolean;
  loadOlder: () => Promise<void>;
  refresh: (span: Span) => Promise<void>;
}

interface Stream {
  status: Status;
  cursor?: string;
  /** When the oldest known launch was requested. */
  oldestAt?: string;
  isDone: boolean;
}

const pageSize = 100;
/** A page without a match may have others behind it. */
const mostEmptyPages = 10;
const mostPagesOfSpan = 5;

/**
 * Makes the launches of a filter. davit lists each status by itself, newest first; this merges the lists. A launch
 * appears once no status can have an unread newer one.
 *
 * @param read reads one page
 */
export function createLaunchPages(
  statuses: readonly Status[],
  read: (query: PageQuery) => Promise<LaunchList>,
): LaunchPages {
  let known = new Map<string, Launch>();
  let streams: Stream[] = [];
  /**
   * The known launches that the last read did not have. The index may lag, so a launch is gone only if two reads do not
   * have it.
   */
  let missing = new Set<string>();
  let sorted: readonly Launch[] | undefined;
  let loading: Promise<void> | undefined;
  startAnew();

  function startAnew(): void {
    known = new Map();
    missing = new Set();
    streams = statuses.map((status) => ({ status, isDone: false }));
    sorted = undefined;
  }

  function add(found: readonly Launch[]): void {
    const isNew = found.some(({ launchId }) => !known.has(launchId));
    for (const launch of found) known.set(launch.launchId, launch);
    // The order never changes, because a launch has only one request.
    sorted = isNew ? undefined : sorted?.map((launch) => known.get(launch.launchId) ?? launch);
  }

  /** Returns the moment since when every requested launch has been read; empty once all launches have been. */
  function horizon(): string {
    const open = streams.filter(({ isDone }) => !isDone);
    return open.map(({ oldestAt = '~' }) => oldestAt).reduce((newest, at) => (at > newest ? at : newest), '');
  }

  /** Runs one read at a time: two would read the same pages. */
  function loadOlder(): Promise<void> {
    loading ??= loadNext().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function loadNext(): Promise<void> {
    const at = horizon();
    const asked = streams.filter(({ isDone, oldestAt = '~' }) => !isDone && oldestAt === at);
    await Promise.all(asked.map(loadStream));
  }

  async function loadStream(stream: Stream): Promise<void> {
    for (let pages = 0; pages < mostEmptyPages; pages += 1) {
      const { status, cursor } = stream;
      const page = await read({ status: [status], limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
      add(page.launches);
      const oldest = page.launches.at(-1)?.requestedAt;
      if (oldest !== undefined) stream.oldestAt = oldest;
      if (page.cursor === undefined) stream.isDone = true;
      else stream.cursor = page.cursor;
      // The horizon has moved: a list that was asked for meanwhile may lack launches.
      sorted = undefined;
      if (stream.isDone || oldest !== undefined) return;
    }
  }

  async function refresh({ since, until }: Span): Promise<void> {
    const bounds = present({ since, until });
    const found = new Set<string>();
    let cursor: string | undefined;
    for (let pages = 0; pages < mostPagesOfSpan; pages += 1) {
      const asked = { status: [...statuses], limit: pageSize, ...bounds };
      const page = await read(cursor === undefined ? asked : { ...asked, cursor });
      if (page.launches.some((launch) => known.get(launch.launchId) !== launch)) add(page.launches);
      for (const { launchId } of page.launches) found.add(launchId);
      cursor = page.cursor;
      if (cursor === undefined) return forgetMissing({ since, until }, found);
    }
    // There are more new launches than a few pages hold.
    if (until === undefined) {
      startAnew();
      await loadOlder();
    }
  }

  function forgetMissing(
    { since = '', until = '~' }: { since: string | undefined; until: string | undefined },
    found: Set<string>,
  ): void {
    const lacked = launches()
      .filter(({ launchId, requestedAt }) => requestedAt >= since && requestedAt <= until && !found.has(launchId))
      .map(({ launchId }) => launchId);
    const gone = lacked.filter((launchId) => missing.has(launchId));
    for (const launchId of gone) known.delete(launchId);
    if (gone.length > 0) sorted = undefined;
    missing = new Set(lacked);
  }

  function launches(): readonly Launch[] {
    if (sorted === undefined) {
      const from = horizon();
      sorted = [...known.values()].filter(({ requestedAt }) => requestedAt >= from).sort(newestFirst);
    }
    return sorted;
  }

  return { launches, isComplete: () => streams.every(({ isDone }) => isDone), loadOlder, refresh };
}

function newestFirst(one: Launch, other: Launch): number {
  if (one.requestedAt !== other.requestedAt) return one.requestedAt < other.requestedAt ? 1 : -1;
  return one.launchId < other.launchId ? 1 : -1;
}

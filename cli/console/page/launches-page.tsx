import { useMemo, useRef } from 'preact/hooks';
import { api, keepAnswers, type Launch, type LaunchList } from './api.ts';
import type { HistoryEntry, ListPlace } from './history-entry.ts';
import { useNow, usePolled } from './hooks.ts';
import { type LaunchFilter, LaunchFilters, type Offers, readFilter } from './launch-filters.tsx';
import { createLaunchPages, type LaunchPages, type Span } from './launch-pages.ts';
import { LaunchTable } from './launch-table.tsx';
import { LivePage } from './parts.tsx';

const everyMs = 2000;

/** The launches, newest first, live. */
export function LaunchesPage({ query, entry }: { query: URLSearchParams; entry: HistoryEntry }) {
  const place = useMemo(() => placeOf(entry, query), [entry]);
  const { pages } = place;
  const seen = useRef<Seen | undefined>(undefined);
  const polled = usePolled(() => readOn(pages, seen.current), everyMs, [pages]);
  const launches = pages.launches();
  const now = useNow();
  return (
    <LivePage class="filled" title="Launches" of={polled} now={now}>
      <LaunchFilters query={query} offers={offersOf(launches)} />
      <LaunchTable
        key={entry.id}
        place={place}
        isFiltered={query.size > 0}
        now={now}
        onSeen={(span) => {
          seen.current = { pages, span };
          polled.refresh();
        }}
      />
    </LivePage>
  );
}

/** The visible rows when the list last rested. */
interface Seen {
  pages: LaunchPages;
  span: Span;
}

/**
 * Reads the first page, then the visible rows again. Before the list of a new filter has rested, its visible rows are
 * unknown. Then this reads nothing: a read without bounds could find more launches than a few pages hold, and then
 * start the list again from its top.
 *
 * @returns a new object each time, because the list has changed
 */
async function readOn(pages: LaunchPages, seen: Seen | undefined): Promise<object> {
  if (pages.launches().length === 0 && !pages.isComplete()) await pages.loadOlder();
  else if (seen?.pages === pages) await pages.refresh(seen.span);
  return {};
}

/** A change of the filter is a new entry. */
function placeOf(entry: HistoryEntry, query: URLSearchParams): ListPlace {
  entry.list ??= { pages: pagesOf(readFilter(query)) };
  return entry.list;
}

function pagesOf({ statuses, ...rest }: LaunchFilter): LaunchPages {
  const kept = keepAnswers<LaunchList>();
  return createLaunchPages(statuses, (asked) => {
    const query = { ...rest, ...asked };
    return kept.read(JSON.stringify(query), (header) => api.GET('/launches', { params: { query, header } }));
  });
}

const mostOffers = 50;

function offersOf(launches: readonly Launch[]): Offers {
  const recent = launches.slice(0, 500);
  return {
    profile: distinct(recent.map(({ plan }) => plan?.profile)),
    cluster: distinct(recent.map(({ plan }) => plan?.cluster)),
    repository: distinct(recent.map(({ plan, job }) => job?.repository ?? plan?.job?.repository)),
  };
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].toSorted().slice(0, mostOffers);
}

import { useMemo, useRef } from 'preact/hooks';
import { api, keepAnswers, type Launch, type LaunchList } from './api.ts';
import { useNow, usePolled } from './hooks.ts';
import { type LaunchFilter, LaunchFilters, type Offers, readFilter } from './launch-filters.tsx';
import { createLaunchPages, type LaunchPages, type Span } from './launch-pages.ts';
import { LaunchTable } from './launch-table.tsx';
import { LiveNote, Title } from './parts.tsx';

const everyMs = 2000;

/** The launches, newest first, live. */
export function LaunchesPage({ query }: { query: URLSearchParams }) {
  const key = query.toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(key)), [key]);
  const pages = useMemo(() => pagesOf(filter), [filter]);
  const seen = useRef<Span>({});
  const polled = usePolled(() => readOn(pages, seen.current), everyMs, [pages]);
  const launches = pages.launches();
  const now = useNow();
  return (
    <main class="filled">
      <div class="bar">
        <Title>Launches</Title>
        <LiveNote of={polled} now={now} />
      </div>
      <LaunchFilters query={query} offers={offersOf(launches)} />
      <LaunchTable
        key={key}
        pages={pages}
        now={now}
        onSeen={(span) => {
          seen.current = span;
          polled.refresh();
        }}
      />
    </main>
  );
}

/** Reads the visible part, and the first page before. @returns a new object each time, because the list has changed */
async function readOn(pages: LaunchPages, span: Span): Promise<object> {
  if (pages.launches().length === 0 && !pages.isComplete()) await pages.loadOlder();
  else await pages.refresh(span);
  return {};
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

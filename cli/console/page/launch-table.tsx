import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { present } from '../../../core/present.ts';
import type { Launch } from './api.ts';
import type { ListPlace, ListView } from './history-entry.ts';
import type { LaunchPages, Span } from './launch-pages.ts';
import { LaunchRow } from './launch-row.tsx';
import { rowOfKey, rowsInSight, rowsToMake, type Sight, topToShow } from './row-window.ts';

interface TableProps {
  place: ListPlace;
  /** Whether the list leaves out launches. */
  isFiltered: boolean;
  now: number;
  /** Receives the visible rows once the list rests. */
  onSeen: (span: Span) => void;
}

/** How many rows before the last one the table reads older launches. */
const readAheadRows = 60;
const restMs = 150;
const retryMs = 2000;

/** A list of any length that renders only its visible rows. Arrow keys, Home, End and Page keys move between them. */
export function LaunchTable({ place, isFiltered, now, onSeen }: TableProps) {
  const { pages } = place;
  const launches = pages.launches();
  const { scroller, sight } = useSight(launches, place);
  const [active, setActive] = useState(place.active);
  const isFocusDue = useRef(false);
  const isReading = useOlder(pages, sight, launches.length);
  const made = rowsToMake(sight);
  const activeIndex = active === undefined ? -1 : launches.findIndex(({ launchId }) => launchId === active);
  const tabStop = activeIndex === -1 ? rowsInSight(sight).first : activeIndex;

  const inSight = rowsInSight(sight);
  const newest = inSight.first === 0 ? undefined : launches[inSight.first]?.requestedAt;
  const oldest = launches[inSight.end - 1]?.requestedAt;
  // An unread list has no visible rows. A span without bounds would have every launch read again, from the top.
  const isUnread = launches.length === 0 && !pages.isComplete();
  useEffect(() => {
    if (isUnread) return;
    const timer = setTimeout(() => onSeen(present({ since: oldest, until: newest })), restMs);
    return () => clearTimeout(timer);
  }, [isUnread, newest, oldest]);

  useEffect(() => {
    if (active !== undefined) place.active = active;
  }, [active]);

  useLayoutEffect(() => {
    if (!isFocusDue.current) return;
    isFocusDue.current = false;
    scroller.current?.querySelector<HTMLElement>('a[tabindex="0"]')?.focus({ preventScroll: true });
  });

  function move(event: KeyboardEvent): void {
    const to = rowOfKey(event.key, tabStop, sight);
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey || scroller.current === null) return;
    event.preventDefault();
    isFocusDue.current = true;
    setActive(launches[to]?.launchId);
    scroller.current.scrollTop = topToShow(to, sight);
  }

  const indexes = Array.from({ length: made.end - made.first }, (_none, at) => made.first + at);
  // The row with the focus stays, wherever the list is scrolled to.
  if (activeIndex !== -1 && activeIndex < made.first) indexes.unshift(activeIndex);
  if (activeIndex >= made.end) indexes.push(activeIndex);
  return (
    <div class="launches">
      <div
        role="table"
        class="table"
        aria-label="Launches"
        aria-rowcount={pages.isComplete() ? launches.length + 1 : -1}
      >
        <div role="rowgroup" class="head">
          <div role="row" class="row" aria-rowindex={1}>
            {['Status', 'Launch', 'Profile', 'Cluster', 'Age', 'Now'].map((title) => (
              <span key={title} role="columnheader" class={`cell ${title.toLowerCase()}`}>
                {title}
              </span>
            ))}
          </div>
        </div>
        <div ref={scroller} role="rowgroup" class="rows" onKeyDown={move}>
          <div role="presentation" class="all" style={{ height: `${launches.length * sight.rowHeight}px` }}>
            {indexes.map((index) => {
              const launch = launches[index];
              return launch === undefined ? null : (
                <LaunchRow
                  key={launch.launchId}
                  launch={launch}
                  index={index}
                  top={index * sight.rowHeight}
                  now={now}
                  isTabStop={index === tabStop}
                  onFocus={setActive}
                />
              );
            })}
          </div>
        </div>
      </div>
      <p class="more" role="status">
        {words(launches.length, isFiltered, pages.isComplete(), isReading)}
      </p>
    </div>
  );
}

function words(count: number, isFiltered: boolean, isComplete: boolean, isReading: boolean): string {
  if (!isComplete && count === 0) return 'Reading …';
  const launches = count === 1 ? '1 launch' : `${count} launches`;
  if (!isComplete) return isReading ? `${launches}, reading older ones …` : `${launches}, and older ones`;
  if (count > 0) return launches;
  if (isFiltered) return 'There is no such launch.';
  return 'There is no launch yet. A queued job that a profile takes gets one, and so does `davit launch PROFILE`.';
}

/** Follows the visible part of the list. New rows above it do not move it, unless it is at the top. */
function useSight(launches: readonly Launch[], place: ListPlace) {
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<{ launchId: string; offset: number } | undefined>(undefined);
  const [view, setView] = useState<ListView>(place.view ?? { top: 0, height: 600, rowHeight: 56 });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => {
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row'));
      setView({ top: element.scrollTop, height: element.clientHeight, rowHeight });
    };
    element.scrollTop = view.top;
    const follow = () => setView((before) => ({ ...before, top: element.scrollTop }));
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', follow, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', follow);
    };
  }, []);

  useLayoutEffect(() => {
    const { launchId, offset } = anchor.current ?? {};
    if (scroller.current === null || launchId === undefined || offset === undefined || view.top === 0) return;
    const index = launches.findIndex((launch) => launch.launchId === launchId);
    const top = index * view.rowHeight + offset;
    if (index !== -1 && top !== view.top) scroller.current.scrollTop = top;
  }, [launches]);

  useEffect(() => {
    place.view = view;
  }, [view]);

  const first = Math.floor(view.top / view.rowHeight);
  const launchId = launches[first]?.launchId;
  useLayoutEffect(() => {
    anchor.current = launchId === undefined ? undefined : { launchId, offset: view.top - first * view.rowHeight };
  }, [view, launches]);

  const sight: Sight = { ...view, count: launches.length };
  return { scroller, sight };
}

/** Reads older launches before the end of the list is visible. @returns whether a read is under way */
function useOlder(pages: LaunchPages, sight: Sight, count: number): boolean {
  const [isReading, setReading] = useState(false);
  const [tries, setTries] = useState(0);
  const isDue = !pages.isComplete() && count > 0 && rowsInSight(sight).end + readAheadRows > count;
  useEffect(() => {
    if (!isDue) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => setTries((before) => before + 1);
    void read();
    return () => clearTimeout(timer);

    async function read(): Promise<void> {
      setReading(true);
      try {
        await pages.loadOlder();
        setReading(false);
        again();
      } catch {
        // The poll shows the error.
        timer = setTimeout(again, retryMs);
      }
    }
  }, [isDue, tries]);
  return isReading;
}

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AskError } from './api.ts';
import { type HistoryEntry, presentEntry } from './history-entry.ts';
import { type Route, readRoute } from './route.ts';

/** The view in the address, and the state that the page keeps for it. */
export interface ShownRoute extends Route {
  entry: HistoryEntry;
}

/** Follows the address. */
export function useRoute(): ShownRoute {
  const [route, setRoute] = useState(shownRoute);
  useEffect(() => {
    const follow = () => setRoute(shownRoute());
    addEventListener('hashchange', follow);
    // The address may have changed since the first render.
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

function shownRoute(): ShownRoute {
  return { ...readRoute(location.hash), entry: presentEntry() };
}

/** Begins a new page at its top. Back and Forward lead to where the person was. */
export function useScrollPlace({ page, subject, entry }: ShownRoute): void {
  const shown = useRef('');
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const keep = () => {
      presentEntry().scrollTop = scrollY;
    };
    addEventListener('scroll', keep, { passive: true });
    return () => removeEventListener('scroll', keep);
  }, []);
  useLayoutEffect(() => {
    const next = `${page}/${subject}`;
    if (entry.scrollTop !== undefined) scrollTo(0, entry.scrollTop);
    else if (shown.current !== next) scrollTo(0, 0);
    shown.current = next;
  }, [entry]);
}

/** Returns the time, and renders again once a second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Why the shown data may be old. */
export interface Trouble {
  message: string;
  sinceEpochMs: number;
  /** The HTTP status of the answer, if there was one. */
  status?: number;
}

/** The last read value. */
export interface Polled<Value> {
  value?: Value;
  /** Whether it has been read since the page opened. Back and Forward lead to a page that has its earlier value. */
  isLive: boolean;
  trouble?: Trouble;
  /** Reads now instead of after the pause. */
  refresh: () => void;
}

const longestPauseMs = 10_000;
/** A read that takes longer than this makes the shown data old. */
const slowMs = 5000;

/**
 * Reads repeatedly while the page is visible, with longer pauses while the reads fail. A value stays until the next
 * successful read.
 *
 * @param inputs what `read` depends on: a change starts again
 * @param keptBy where the value stays: with the page's entry in the browser's history, or, under a name of its own, for
 *   all pages. @default with the entry
 */
export function usePolled<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  everyMs: number,
  inputs: readonly unknown[],
  keptBy?: string,
): Polled<Value> {
  const [state, setState] = useState(() => earlierOf<Value>(entryOf(keptBy)));
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    const ended = new AbortController();
    const entry = entryOf(keptBy);
    setState(earlierOf<Value>(entry));
    void poll();
    return () => ended.abort();

    async function poll(): Promise<void> {
      let failures = 0;
      while (!ended.signal.aborted) {
        const slow = setTimeout(() => tell(new Error('davit has not answered yet')), slowMs);
        try {
          const value = await read(ended.signal);
          if (ended.signal.aborted) return;
          failures = 0;
          entry.value = value;
          setState((before) => {
            const isSame = before.isLive && before.value === value && before.trouble === undefined;
            return isSame ? before : { value, isLive: true };
          });
        } catch (error) {
          if (ended.signal.aborted) return;
          failures += 1;
          tell(error);
        } finally {
          clearTimeout(slow);
        }
        await pause(Math.min(everyMs * 2 ** failures, Math.max(everyMs, longestPauseMs)));
      }
    }

    function tell(error: unknown): void {
      const status = error instanceof AskError ? error.status : undefined;
      setState(({ value, isLive, trouble }) => ({
        ...(value === undefined ? {} : { value }),
        isLive,
        trouble: {
          message: messageOf(error),
          sinceEpochMs: trouble?.sinceEpochMs ?? Date.now(),
          ...(status === undefined ? {} : { status }),
        },
      }));
    }

    /** Waits until the pause is over, the person asks for a read, or the page is visible again. */
    function pause(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const go = () => {
          if (document.hidden && !ended.signal.aborted) return;
          clearTimeout(timer);
          document.removeEventListener('visibilitychange', go);
          ended.signal.removeEventListener('abort', go);
          resolve();
        };
        const timer = setTimeout(go, ms);
        wake.current = go;
        document.addEventListener('visibilitychange', go);
        ended.signal.addEventListener('abort', go);
      });
    }
  }, inputs);
  return { ...state, refresh: () => wake.current() };
}

type State<Value> = Omit<Polled<Value>, 'refresh'>;

const forAllPages = new Map<string, HistoryEntry>();

function entryOf(keptBy: string | undefined): HistoryEntry {
  if (keptBy === undefined) return presentEntry();
  const entry = forAllPages.get(keptBy) ?? { id: keptBy };
  forAllPages.set(keptBy, entry);
  return entry;
}

function earlierOf<Value>({ value }: HistoryEntry): State<Value> {
  return { ...(value === undefined ? {} : { value: value as Value }), isLive: false };
}

/** Describes an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

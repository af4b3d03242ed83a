import { useEffect, useRef, useState } from 'preact/hooks';
import { type Route, readRoute } from './route.ts';

/** The view in the address. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(readRoute(location.hash));
    addEventListener('hashchange', follow);
    // It may have changed between the first look and now.
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** The time, once a second. */
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
}

/** The last read value. */
export interface Polled<Value> {
  value?: Value;
  trouble?: Trouble;
  /** Reads now instead of after the pause. */
  refresh: () => void;
}

const longestPauseMs = 10_000;

/**
 * Reads repeatedly while the page is visible, with longer pauses while the reads fail. A value stays until the next
 * successful read.
 *
 * @param inputs what `read` depends on: a change starts again
 */
export function usePolled<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  everyMs: number,
  inputs: readonly unknown[],
): Polled<Value> {
  const [state, setState] = useState<Omit<Polled<Value>, 'refresh'>>({});
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    const ended = new AbortController();
    setState({});
    void poll();
    return () => ended.abort();

    async function poll(): Promise<void> {
      let failures = 0;
      while (!ended.signal.aborted) {
        try {
          const value = await read(ended.signal);
          if (ended.signal.aborted) return;
          failures = 0;
          setState((before) => (before.value === value && before.trouble === undefined ? before : { value }));
        } catch (error) {
          if (ended.signal.aborted) return;
          failures += 1;
          setState(({ value, trouble }) => ({
            ...(value === undefined ? {} : { value }),
            trouble: { message: messageOf(error), sinceEpochMs: trouble?.sinceEpochMs ?? Date.now() },
          }));
        }
        await pause(Math.min(everyMs * 2 ** failures, Math.max(everyMs, longestPauseMs)));
      }
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

/** Describes an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

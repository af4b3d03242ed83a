/** A condition to wait for. */
export interface Awaited<Found> {
  /** Calls back after each event; returns a function that unsubscribes. */
  subscribe: (changed: () => void) => () => void;
  /** Returns the awaited value; undefined while it is missing. */
  look: () => Found | undefined;
  /** The error's message when time runs out. */
  missing: () => string;
}

const patienceMs = 90_000;

/** Checks now and after every event. @throws Error (rejects) when time runs out */
export function until<Found>({ subscribe, look, missing }: Awaited<Found>): Promise<Found> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      stop();
      clearTimeout(patience);
      outcome();
    };
    const check = () => {
      const found = look();
      if (found !== undefined) settle(() => resolve(found));
    };
    const patience = setTimeout(() => settle(() => reject(new Error(missing()))), patienceMs);
    const stop = subscribe(check);
    check();
  });
}

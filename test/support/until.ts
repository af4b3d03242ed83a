/** A condition to wait for. */
export interface Awaited<Found> {
  /** Calls back whenever something has happened; returns how to unsubscribe. */
  subscribe: (changed: () => void) => () => void;
  /** Looks for it; undefined while it is not there. */
  look: () => Found | undefined;
  /** The error's message when it does not come. */
  missing: () => string;
}

const patienceMs = 90_000;

/** Looks now and after every event. @throws Error (rejects) when nothing was found in time */
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

/** What is waited for, and how. */
export interface Awaited<Found> {
  /** Calls back whenever something has happened; returns how to stop it. */
  subscribe: (changed: () => void) => () => void;
  /** Gives what is waited for, undefined while it is not there. */
  look: () => Found | undefined;
  /** Says what is the matter when it does not come. */
  missing: () => string;
}

const patienceMs = 90_000;

/** Looks now and whenever something has happened. @throws Error (rejects) when what is waited for does not come */
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

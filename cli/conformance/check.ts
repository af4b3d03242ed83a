import type { TestedCluster } from './tested-cluster.ts';
import type { Throwaways } from './throwaways.ts';

/** Whether a cluster does what davit relies on. `not-checked`: the check was not possible. */
export type Verdict = 'held' | 'not-held' | 'not-checked';

/** What a check has found. */
export interface Outcome {
  verdict: Verdict;
  /** In the cluster's own words, where it has any. For `not-checked`: what the check needs. */
  found: string;
}

/** What a check works with. */
export interface CheckContext extends TestedCluster {
  /** The server's version as `GET /version` says it; undefined when the server does not show it. */
  version: string | undefined;
  /** Makes the check's objects. They are removed after the check. */
  throwaways: Throwaways;
  /** Ends the check when the person presses Ctrl-C. */
  signal: AbortSignal;
}

/** One thing that davit relies on. */
export interface Check {
  /** Stable, in kebab case. */
  name: string;
  reliesOn: string;
  /** What davit does on a cluster that does not do it. */
  thenDavit: string;
  /** @throws ApiException and what fetch throws, when the cluster does not do what the check itself needs */
  run: (context: CheckContext) => Promise<Outcome>;
}

/** A check, and what it has found. */
export interface CheckResult extends Omit<Check, 'run'>, Outcome {}

/** Makes the outcome of a cluster that does what davit relies on. */
export function held(found: string): Outcome {
  return { verdict: 'held', found };
}

/** Makes the outcome of a cluster that does something else. */
export function notHeld(found: string): Outcome {
  return { verdict: 'not-held', found };
}

/** Makes the outcome of a check that was not possible. */
export function notChecked(found: string): Outcome {
  return { verdict: 'not-checked', found };
}

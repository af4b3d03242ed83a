/** The result of a check. `skipped`: the check was not possible. */
export type Verdict = 'ok' | 'warning' | 'problem' | 'skipped';

/** The finding of one check. */
export interface Finding {
  verdict: Verdict;
  /** The subject: `cluster builds: namespace davit-agents`. */
  about: string;
  /** The finding itself. */
  what: string;
  /** Why a problem matters. */
  why?: string;
  /** The command or the place that fixes it. */
  fix?: string;
}

/** Makes a finding without a problem. */
export function ok(about: string, what: string): Finding {
  return { verdict: 'ok', about, what };
}

/** Makes the finding of a skipped check. */
export function skipped(about: string, what: string): Finding {
  return { verdict: 'skipped', about, what };
}

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

/** Makes a finding of something that fails launches. */
export function problem(about: string, what: string, why: string, fix: string): Finding {
  return { verdict: 'problem', about, what, why, fix };
}

/** Makes a finding of something that may fail launches. */
export function warning(about: string, what: string, why: string, fix: string): Finding {
  return { verdict: 'warning', about, what, why, fix };
}

/** Makes the finding of a skipped check. */
export function skipped(about: string, what: string): Finding {
  return { verdict: 'skipped', about, what };
}

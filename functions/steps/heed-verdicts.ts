import { type ErrorSubject, RelaunchError, TerminalError } from '../domain/errors.ts';
import type { Signal } from '../domain/launch-record.ts';
import type { Graces } from '../domain/launch-state.ts';
import { maskJwts } from '../domain/mask-secrets.ts';
import type { PodVerdict } from '../domain/pod-verdict.ts';
import type { Launches } from '../ports/launches.ts';

/** What heeding a Pod's verdicts needs. */
export interface HeedDeps {
  launches: Pick<Launches, 'noteSignal'>;
  nowEpochMs: () => number;
}

/**
 * Makes a function that acts on one verdict after another: it throws when the launch is to fail, and otherwise notes
 * in the launch's record what the cluster says, for the person who waits and for grace periods, which count from the
 * first time that a thing was said, however many attempts ago.
 *
 * @param graces how long a `grace` verdict is waited for
 * @param lookAgain reads the Pod as it is now, and judges it
 * @returns a function that returns what is to be told if the deadline passes now
 * @throws TerminalError or RelaunchError (the function) with the verdict's code
 */
export function heedVerdicts(
  deps: HeedDeps,
  launchId: string,
  graces: Graces,
  about: ErrorSubject,
  lookAgain: () => Promise<PodVerdict>,
): (verdict: PodVerdict) => Promise<string> {
  let noted: Signal | undefined;

  async function note(code: string, said: string, seenAtEpochMs: number): Promise<Signal> {
    const says = maskJwts(said);
    if (noted?.code !== code || noted.says !== says) {
      noted = await deps.launches.noteSignal(launchId, { code, says, sinceEpochMs: seenAtEpochMs });
    }
    return noted;
  }

  return async function heed(verdict) {
    // Noting may take long, and what is judged may be over by then: it has lasted until it was seen, and no longer.
    const seenAtEpochMs = deps.nowEpochMs();
    const subject = { ...about, ...verdict.about };
    if (verdict.kind === 'terminal') throw new TerminalError(verdict.code, verdict.says, subject);
    if (verdict.kind === 'relaunch') throw new RelaunchError(verdict.code, verdict.says, subject);
    if (verdict.kind === 'wait') {
      if (verdict.signal !== undefined) await note(verdict.signal, verdict.says, seenAtEpochMs);
      return verdict.says;
    }
    const { sinceEpochMs } = await note(verdict.code, verdict.says, seenAtEpochMs);
    const graceSeconds = graces[verdict.grace];
    const lastedSeconds = (seenAtEpochMs - sinceEpochMs) / 1000;
    if (lastedSeconds < graceSeconds) return verdict.says;
    // A function that stood still sees late what was over long ago. What a read that begins now shows has lasted.
    const now = await lookAgain();
    if (now.kind !== 'grace' || now.code !== verdict.code) return await heed(now);
    const says = `${now.says} (for ${Math.round(lastedSeconds)} s; grace is ${graceSeconds} s)`;
    throw new TerminalError(now.code, says, { ...about, ...now.about });
  };
}

import type * as Transitions from '../../../../core/launch/transitions.ts';
import type { Finding } from '../../../../verify/finding.ts';
import { verifyTrace } from '../../../../verify/trace/verify-trace.ts';
import { randomLaunch } from './random-launch.ts';

/** @param seeds how many launches it tries @returns undefined when the checker allows the traces of all of them */
export function firstRefused(
  transitions: typeof Transitions,
  seeds: number,
): { seed: number; finding: Finding } | undefined {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const [finding] = verifyTrace(randomLaunch(transitions, seed)).findings;
    if (finding !== undefined) return { seed, finding };
  }
  return undefined;
}

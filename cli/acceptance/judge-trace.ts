import { verifyTrace } from '../../verify/trace/verify-trace.ts';
import { CliError } from '../cli-error.ts';
import { loggedTrace, logsOf } from '../commands/logged-trace.ts';
import { timesWords } from './judge.ts';
import type { TraceResult } from './report.ts';

/** How far the clocks of functions may differ: `davit verify-trace` has the same default. */
const skewMs = 5000;

/**
 * Judges the trace in the logs of a local davit: every write that is still in them, also from before the acceptance. Other
 * jobs may go on.
 *
 * @param state its state directory; undefined for another davit, whose logs are elsewhere
 */
export async function judgeTrace(state: string | undefined): Promise<TraceResult> {
  if (state === undefined) return notRun('the logs: give them to davit export-trace and davit verify-trace');
  try {
    const lines = (await loggedTrace(await logsOf(state))).map((line, index) => ({ ...line, line: index + 1 }));
    const { findings, writes } = verifyTrace(lines, { skewMs });
    // A finding's subject is a launch or a job, by a name of the caller's.
    const why = [...Map.groupBy(findings, ({ rule }) => rule)].map(
      ([rule, those]) => `not so ${timesWords(those.length)}: ${rule}`,
    );
    return { verdict: why.length === 0 ? 'held' : 'not-held', why, writes };
  } catch (error) {
    if (error instanceof CliError) return notRun('logs that can be read');
    throw error;
  }
}

function notRun(needs: string): TraceResult {
  return { verdict: 'not-run', why: [needs], writes: 0 };
}

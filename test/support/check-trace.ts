import { loggedTrace, logsOf } from '../../cli/commands/logged-trace.ts';
import { readTrace } from '../../verify/trace/read-trace.ts';
import { type TraceVerdict, verifyTrace } from '../../verify/trace/verify-trace.ts';

/** Between a write and its line, a process may do something else. */
const skewMs = 1000;

/**
 * Checks the trace that a davit has left in its logs, so that each test of a davit proves its protocol, too.
 *
 * @throws Error that names each step that the protocol does not have
 */
export async function checkTrace(stateDirectory: string): Promise<TraceVerdict> {
  const lines = await loggedTrace(await logsOf(stateDirectory));
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const verdict = verifyTrace(readTrace(text, stateDirectory), { skewMs });
  if (verdict.findings.length === 0) return verdict;
  const words = verdict.findings.map(({ subject, rule, seen }) => `${subject}: ${rule}; ${seen}`);
  throw new Error(`the trace has steps that the protocol does not have:\n${words.join('\n')}`);
}

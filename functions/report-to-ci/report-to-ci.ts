import { TerminalError } from '../../core/errors/errors.ts';
import { CommitReport } from '../../core/job/commit-report.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import { atPace } from '../../logic/pace/at-pace.ts';
import type { SystemPace } from '../../logic/pace/system-pace.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';

/** The report, and its commit. */
export const ReportToCiInput = CommitReport;

/**
 * The result: the commit has the report; a later report was already there; or the CI system refused, in its words. After
 * a refusal davit asks again only with a different report.
 */
export const ReportToCiOutput = z.object({
  outcome: z.enum(['told', 'overtaken', 'refused']),
  detail: z.optional(z.string()),
});
export type ReportToCiOutput = z.infer<typeof ReportToCiOutput>;

interface ReportToCiDeps {
  /** @throws TerminalError CiRefused for a name that is not in davit.yaml, or has no credential there */
  ciSystemOf: (ciSystem: string) => Pick<CiSystem, 'setCommitStatus' | 'usage'>;
  pace: Pick<SystemPace, 'take' | 'heed'>;
  told: Pick<ToldJobs, 'note'>;
}

/**
 * Reports on a commit why its job waits, or that the job no longer waits. Repeatable, and safe to run twice at once: a
 * run that finds a later report sends that one again, because the two may have reached the CI system in any order.
 *
 * @throws TransientError when the CI system or the table did not answer, or registrations need this minute: Lambda repeats
 *   it, and reconcile asks again
 */
export async function reportToCi(deps: ReportToCiDeps, report: CommitReport): Promise<ReportToCiOutput> {
  const detail = await throughRefusal(() => setStatus(deps, report));
  const last = await deps.told.note(report);
  const isOvertaken = last.atEpochMs > report.atEpochMs;
  if (isOvertaken && detail === undefined) await setStatus(deps, last);
  if (detail !== undefined) return { outcome: 'refused', detail };
  return { outcome: isOvertaken ? 'overtaken' : 'told' };
}

async function setStatus(deps: ReportToCiDeps, report: CommitReport): Promise<void> {
  const { ciSystem, repository, sha, state, context, description, targetUrl } = report;
  const status = { sha, state, context, description, ...present({ targetUrl }) };
  await atPace(deps, { ciSystem, purpose: 'doubt', writes: 1 }, (ci) => ci.setCommitStatus(repository, status));
}

/** @returns why the CI system refuses: a missing permission, a deleted commit */
async function throughRefusal(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof TerminalError && error.code === 'CiRefused') return error.detail;
    throw error;
  }
}

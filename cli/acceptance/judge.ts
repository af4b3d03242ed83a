import type { Finding } from '../../verify/finding.ts';
import { verifyJobs } from '../../verify/jobs/verify-jobs.ts';
import type { SeenAttempt } from './acceptance-ci.ts';
import type { NotRun } from './not-run.ts';
import type { Evidence, Expected, ScenarioResult } from './scenario.ts';

/** What a scenario came to, without its name and its time. */
export type Judged = Omit<ScenarioResult, 'name' | 'does' | 'tookMs'>;

/** Judges the jobs of a scenario: by `davit verify-jobs`, and by what the scenario expects. */
export function judge({ attempts, histories }: Evidence, outcome: Expected | NotRun): Judged {
  const ci = verifyJobs(histories.ci);
  const davit = verifyJobs(histories.davit);
  const { ran, cancelled } = ci;
  const counts = { jobs: ci.jobs, ran, cancelled, waitsMs: waitsOf(attempts) };
  const davitOnly = davit.findings.filter((finding) => !isKnown(finding, ci.findings));
  const why = [
    ...grouped('the CI system', ci.findings),
    ...grouped('davit', davitOnly),
    ...('needs' in outcome ? [] : unmet(outcome, counts)),
  ];
  const details = [...ci.findings, ...davitOnly].map(({ subject, rule, seen }) => `${subject}: ${rule}; ${seen}`);
  if (why.length > 0) return { ...counts, verdict: 'not-held', why, details };
  return 'needs' in outcome
    ? { ...counts, verdict: 'not-run', why: [outcome.needs], details }
    : { ...counts, verdict: 'held', why, details };
}

/** Leaves out whom a finding is about: a runner's name has the names of the caller's. */
function grouped(by: string, findings: readonly Finding[]): string[] {
  const byText = Map.groupBy(findings, ({ subject, rule, seen }) =>
    subject.startsWith('runner ') ? rule : `${rule}; ${seen}`,
  );
  return [...byText].map(([text, those]) => `by ${by}, not so ${timesWords(those.length)}: ${text}`);
}

/** Says how often: `once`, `3 times`. */
export function timesWords(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function isKnown({ subject, rule }: Finding, others: readonly Finding[]): boolean {
  return others.some((other) => other.subject === subject && other.rule === rule);
}

function unmet({ ran, cancelled, problems = [] }: Expected, counts: Pick<Judged, 'ran' | 'cancelled'>): string[] {
  return [
    ...(ran === undefined || counts.ran === ran ? [] : [`${ran} were to run, and ${counts.ran} ran`]),
    ...(cancelled === undefined || counts.cancelled === cancelled
      ? []
      : [`${cancelled} were to be cancelled, and ${counts.cancelled} were`]),
    ...problems,
  ];
}

function waitsOf(attempts: readonly SeenAttempt[]): number[] {
  return attempts.flatMap(({ queuedAtEpochMs, startedAtEpochMs }) =>
    queuedAtEpochMs === undefined || startedAtEpochMs === undefined
      ? []
      : [Math.max(0, startedAtEpochMs - queuedAtEpochMs)],
  );
}

import type { Finding } from '../../verify/finding.ts';
import { verifyJobs } from '../../verify/jobs/verify-jobs.ts';
import type { SeenAttempt } from './acceptance-ci.ts';
import type { Evidence, Expected, NotRun, ScenarioResult } from './scenario.ts';

/** What a scenario came to, without its name and its time. */
export type Judged = Omit<ScenarioResult, 'name' | 'does' | 'tookMs'>;

/** Judges the jobs of a scenario: by `davit verify-jobs`, and by what the scenario expects. */
export function judge({ attempts, histories }: Evidence, outcome: Expected | NotRun): Judged {
  const ci = verifyJobs(histories.ci);
  const davit = verifyJobs(histories.davit);
  const { ran, cancelled } = ci;
  const counts = { jobs: ci.jobs, ran, cancelled, waitsMs: waitsOf(attempts) };
  const why = [
    ...ci.findings.map((finding) => `by the CI system: ${words(finding)}`),
    ...davit.findings.filter((finding) => !isKnown(finding, ci.findings)).map((each) => `by davit: ${words(each)}`),
    ...('needs' in outcome ? [] : unmet(outcome, counts)),
  ];
  if (why.length > 0) return { ...counts, verdict: 'not-held', why };
  return 'needs' in outcome
    ? { ...counts, verdict: 'not-run', why: [outcome.needs] }
    : { ...counts, verdict: 'held', why };
}

/** A job's subject has numbers only. A runner's is its launch, whose name has that of the CI system in davit.yaml. */
function words({ subject, rule, seen }: Finding): string {
  return `${subject.startsWith('runner ') ? 'a runner' : subject}: ${rule}; ${seen}`;
}

function isKnown({ subject, rule }: Finding, others: readonly Finding[]): boolean {
  return others.some((other) => other.subject === subject && other.rule === rule);
}

function unmet({ ran, cancelled }: Expected, counts: Pick<Judged, 'ran' | 'cancelled'>): string[] {
  return [
    ...(ran === undefined || counts.ran === ran ? [] : [`${ran} were to run, and ${counts.ran} ran`]),
    ...(cancelled === undefined || counts.cancelled === cancelled
      ? []
      : [`${cancelled} were to be cancelled, and ${counts.cancelled} were`]),
  ];
}

function waitsOf(attempts: readonly SeenAttempt[]): number[] {
  return attempts.flatMap(({ queuedAtEpochMs, startedAtEpochMs }) =>
    queuedAtEpochMs === undefined || startedAtEpochMs === undefined
      ? []
      : [Math.max(0, startedAtEpochMs - queuedAtEpochMs)],
  );
}

import type { Finding } from '../finding.ts';
import { type Histories, mayHaveBegunBefore } from './histories.ts';
import type { RecordHistory, Step } from './step.ts';
import { wasEver } from './timeline.ts';

/** Checks jobs against launches: one agent runs a job, and a job's next launch is requested after the one before. */
export function checkJobs(histories: Histories, skewMs: number): Finding[] {
  return [
    ...boundTwice(histories),
    ...[...histories.jobs.values()].flatMap((job) =>
      job.steps.flatMap((step, index) => [
        ...ranByAnother(histories, job, step, skewMs),
        ...countedTwice(histories, job, step, index, skewMs),
      ]),
    ),
  ];
}

function boundTwice({ launches }: Histories): Finding[] {
  const first = new Map<string, string>();
  return [...launches.values()].flatMap(({ key, steps }) => {
    const bound = steps.find(({ written }) => written.fields.runs !== undefined);
    const jobKey = bound?.written.fields.runs;
    if (bound === undefined || jobKey === undefined) return [];
    const other = first.get(jobKey);
    first.set(jobKey, key);
    if (other === undefined) return [];
    const seen = `those of ${other} and of ${key} do`;
    return [{ subject: `job ${jobKey}`, rule: 'one agent runs a job', seen, line: bound.line }];
  });
}

function ranByAnother(
  { launches }: Histories,
  { key }: RecordHistory<'job'>,
  step: Step<'job'>,
  skewMs: number,
): Finding[] {
  const { ranBy } = step.written.fields;
  const launch = ranBy === undefined ? undefined : launches.get(ranBy);
  if (step.written.command !== 'noteRanBy' || launch === undefined) return [];
  const span = { fromEpochMs: 0, toEpochMs: step.atEpochMs + skewMs };
  if (wasEver(launch, span, ({ written }) => written.fields.runs === key)) return [];
  const rule = 'the agent that ran a job is bound to it before';
  return [{ subject: `job ${key}`, rule, seen: `${ranBy} is not`, line: step.line }];
}

/** When a function counts a launch and dies, the next function requests the same launch. */
function countedTwice(
  histories: Histories,
  { key, steps }: RecordHistory<'job'>,
  step: Step<'job'>,
  index: number,
  skewMs: number,
): Finding[] {
  const before = steps[index - 1];
  const counted = before?.written.fields.lastLaunch;
  if (step.written.command !== 'claimLaunch' || before === undefined || counted === undefined) return [];
  // A job that waits for a slot again gets another launch: nobody can request the one before without its slot.
  if (before.written.fields.limitedBy !== undefined) return [];
  const requested = histories.launches.get(counted)?.steps[0];
  if (requested !== undefined && requested.atEpochMs <= step.atEpochMs + skewMs) return [];
  const isFirst = steps[0] === before && before.written.command !== 'claimLaunch';
  if (isFirst && mayHaveBegunBefore(histories, before.atEpochMs)) return [];
  const rule = 'a job gets another launch only after the one that is counted was requested';
  return [{ subject: `job ${key}`, rule, seen: `${counted} was not`, line: step.line }];
}

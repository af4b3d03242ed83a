import type { WrittenJob } from '../../core/trace/written.ts';
import type { Finding } from '../finding.ts';
import { changedFields } from './changed-fields.ts';
import type { RecordHistory, Step } from './step.ts';
import { keptMs } from './timeline.ts';

const statuses = ['waiting', 'queued', 'in_progress', 'completed'];

/** Checks each step of a job's record. */
export function checkJob({ key, steps }: RecordHistory<'job'>): Finding[] {
  return steps.flatMap((step, index) => {
    const why = whyNotStep(steps[index - 1], step);
    if (why === undefined) return [];
    const { command, revision } = step.written;
    const rule = `${command}: the protocol has no such step of a job`;
    return [{ subject: `job ${key}`, rule, seen: `revision ${revision}: ${why}`, line: step.line }];
  });
}

function whyNotStep(before: Step<'job'> | undefined, step: Step<'job'>): string | undefined {
  const { command, revision, fields } = step.written;
  if (before === undefined || step.atEpochMs - before.atEpochMs > keptMs) return undefined;
  const back = whyBack(before.written.fields, fields);
  if (back !== undefined || revision - before.written.revision > 1) return back;
  const rule = rules[command];
  return rule === undefined ? `there is no command ${command}` : rule(before.written.fields, fields);
}

/** What no step of a job undoes. */
function whyBack(before: WrittenJob, after: WrittenJob): string | undefined {
  if (statuses.indexOf(after.status) < statuses.indexOf(before.status))
    return `${before.status} became ${after.status}`;
  if (after.launches < before.launches) return 'launches were forgotten';
  return before.ranBy === undefined || before.ranBy === after.ranBy ? undefined : `${before.ranBy} has run it`;
}

type Rule = (before: WrittenJob, after: WrittenJob) => string | undefined;

const rules: Readonly<Record<string, Rule>> = {
  note: (before, after) => whyOther(before, after, ['status', 'runner']),
  claimLaunch: (before, after) => {
    if (before.status !== 'queued') return `the job is ${before.status}`;
    if (after.launches !== before.launches + 1) return 'it counts not one more';
    if (after.lastLaunch === undefined || after.lastLaunch === before.lastLaunch) return 'it names no new launch';
    return whyOther(before, after, ['launches', 'lastLaunch', 'limitedBy', 'isExplained']);
  },
  noteRanBy: (before, after) =>
    before.ranBy === undefined ? whyOther(before, after, ['ranBy']) : `${before.ranBy} has run it`,
  noteNotLaunched: (before, after) =>
    after.isExplained ? whyOther(before, after, ['limitedBy', 'isExplained']) : 'it does not say why',
  noteLimited: (before, after) => {
    if (before.status !== 'queued') return `the job is ${before.status}`;
    return after.isExplained ? whyOther(before, after, ['limitedBy', 'isExplained']) : 'it does not say why';
  },
};

function whyOther(before: WrittenJob, after: WrittenJob, mayChange: readonly (keyof WrittenJob)[]): string | undefined {
  const other = changedFields(before, after).find((name) => !mayChange.includes(name));
  return other && `it changes ${other}`;
}

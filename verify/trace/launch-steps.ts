import type { Finding } from '../finding.ts';
import { whyNotAllowed } from './allowed.ts';
import { isFilled } from './fill-gap.ts';
import type { RecordHistory, Step } from './step.ts';
import { keptMs } from './timeline.ts';

/** No launch has so many writes: if more are missing, its record expired in between. */
const otherLife = 1000;

/** Checks each step of a launch: it is one of the protocol's, or the steps that the trace lacks can lead there. */
export function checkLaunch({ key, steps }: RecordHistory<'launch'>): Finding[] {
  return steps.flatMap((step, index) => {
    const why = whyNotStep(steps[index - 1], step);
    if (why === undefined) return [];
    const { command, revision } = step.written;
    const seen = `revision ${revision}: ${why.seen}`;
    return [{ subject: `launch ${key}`, rule: `${command}: ${why.rule}`, seen, line: step.line }];
  });
}

function whyNotStep(before: Step<'launch'> | undefined, step: Step<'launch'>) {
  const { command, revision, fields } = step.written;
  if (command === 'request') return whyNotFirst(before, step);
  if (before === undefined || revision - before.written.revision > otherLife) return undefined;
  const missing = revision - before.written.revision - 1;
  if (missing > 0) {
    if (isFilled(before.written.fields, missing, command, fields)) return undefined;
    return { rule: 'no order of the missing steps leads here', seen: `${missing} before it are missing` };
  }
  const why = whyNotAllowed(command, before.written.fields, fields);
  return why === undefined ? undefined : { rule: 'the protocol has no such step', seen: why };
}

/** A request makes a record, and changes none. */
function whyNotFirst(before: Step<'launch'> | undefined, { written: { fields }, atEpochMs }: Step<'launch'>) {
  const rule = 'a launch begins once, with nothing';
  if (before !== undefined && atEpochMs - before.written.fields.requestedAtEpochMs < keptMs) {
    return { rule, seen: `it has been requested before, and is ${before.written.fields.status}` };
  }
  const isTombstone = fields.agentName === undefined;
  const expected = isTombstone ? fields.ending?.outcome : 'launching';
  if (fields.status !== expected) return { rule, seen: `it is ${fields.status}` };
  const { registration, runnerId, runs, retiring, connectedAtEpochMs, standby, generations } = fields;
  const later = [registration, runnerId, runs, retiring, connectedAtEpochMs, standby];
  const isFresh = later.every((value) => value === undefined) && generations.length === 0;
  return isFresh ? undefined : { rule, seen: 'it has a past' };
}

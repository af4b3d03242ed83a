import type { Finding } from '../finding.ts';
import type { Histories } from './histories.ts';
import type { RecordHistory, Step } from './step.ts';
import { isOver, wasEver } from './timeline.ts';

/** How long an attempt may hold a slot before it requests its launch, unless a function dies. */
const attemptMs = 30_000;

/** Checks the slots of every limit: none above its maximum, none freed under a launch, and none kept in vain. */
export function checkLimits(histories: Histories, skewMs: number, isUndisturbed: boolean): Finding[] {
  return [...histories.limits.values()].flatMap((limit) => [
    ...limit.steps.flatMap((step, index) => [
      ...aboveMaximum(limit, step, index),
      ...freedTooEarly(histories, step, { skewMs, isUndisturbed }),
    ]),
    ...(isUndisturbed ? heldInVain(histories, limit) : []),
  ]);
}

function findingOf({ written, line }: Step<'limit'>, rule: string, seen: string): Finding {
  return { subject: `limit ${written.key}`, rule, seen, line };
}

function aboveMaximum({ steps }: RecordHistory<'limit'>, step: Step<'limit'>, index: number): Finding[] {
  const { holder, held, maxAgents } = step.written.fields;
  if (step.written.command !== 'take' || maxAgents === undefined || held <= maxAgents) return [];
  // A repeat finds the slot that it has taken.
  if (held === steps[index - 1]?.written.fields.held) return [];
  return [
    findingOf(step, 'no limit has more launches than its maximum', `${holder} is number ${held} of ${maxAgents}`),
  ];
}

/** The launch that a slot's holder names. */
function launchIdOfHolder(holder: string): string {
  return holder.slice(0, holder.lastIndexOf('/'));
}

function freedTooEarly(
  { launches }: Histories,
  step: Step<'limit'>,
  { skewMs, isUndisturbed }: { skewMs: number; isUndisturbed: boolean },
): Finding[] {
  const { command, fields } = step.written;
  const launch = launches.get(launchIdOfHolder(fields.holder));
  if (command !== 'free' || launch === undefined) return [];
  const isIts = ({ written }: Step<'launch'>) => written.fields.slots?.holder === fields.holder;
  const hasThem = launch.steps.some((each) => isIts(each) && each.atEpochMs <= step.atEpochMs - skewMs);
  const span = { fromEpochMs: 0, toEpochMs: step.atEpochMs + skewMs };
  if (!hasThem || wasEver(launch, span, ({ written }) => isOver(written.fields))) return [];
  // A function that dies right after it has written that nothing is left does not log it, and nothing is written later.
  const last = launch.steps.at(-1);
  if (!isUndisturbed && last?.written.fields.status === 'cleaning' && last.atEpochMs <= step.atEpochMs) return [];
  const present = launch.steps.findLast(({ atEpochMs }) => atEpochMs <= step.atEpochMs)?.written.fields;
  const seen = `${launch.key} is ${present?.status} when it is freed`;
  return [findingOf(step, 'a launch holds its slots until nothing of it is left', seen)];
}

function heldInVain({ launches, endedAtEpochMs }: Histories, { steps }: RecordHistory<'limit'>): Finding[] {
  return steps.flatMap((step, index) => {
    const { command, fields } = step.written;
    const untilEpochMs = step.atEpochMs + attemptMs;
    if (command !== 'take' || untilEpochMs > endedAtEpochMs) return [];
    const launch = launches.get(launchIdOfHolder(fields.holder));
    const span = { fromEpochMs: 0, toEpochMs: untilEpochMs };
    if (launch !== undefined && wasEver(launch, span, ({ written }) => written.fields.slots?.holder === fields.holder))
      return [];
    const isFreed = steps
      .slice(index + 1)
      .some(({ written, atEpochMs }) => written.fields.holder === fields.holder && atEpochMs <= untilEpochMs);
    if (isFreed) return [];
    const rule = 'an attempt that does not request its launch gives its slots back';
    return [findingOf(step, rule, `${fields.holder} still has one after ${attemptMs / 1000} s`)];
  });
}

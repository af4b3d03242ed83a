import type { Finding } from '../finding.ts';
import { type Histories, mayHaveBegunBefore } from './histories.ts';
import type { RecordHistory, Step } from './step.ts';

/** This function takes out only earlier runners of the agent that it registers: nobody has their secrets. */
const registers = 'register-runner';

/** Checks what davit asked CI systems about runners, and what launches were recorded with. */
export function checkRunners(histories: Histories, skewMs: number): Finding[] {
  return [
    ...[...histories.runners.values()].flatMap((runner) => unsettled(histories, runner)),
    ...[...histories.launches.values()].flatMap((launch) =>
      launch.steps.flatMap((step, index) => registeredWrongly(histories, launch, step, index, skewMs)),
    ),
  ];
}

/** davit takes out a runner only once its CI system can hand it no job any more. */
function unsettled(histories: Histories, { key, steps }: RecordHistory<'runner'>): Finding[] {
  return steps.flatMap((step, index) => {
    const { command, fields } = step.written;
    if (command !== 'removeIfIdle' || fields.result !== 'removed' || fields.by === registers) return [];
    const before = steps.slice(0, index);
    const stopped = before.find(({ written }) => written.command === 'stopAssigning');
    if (stopped === undefined && mayHaveBegunBefore(histories, step.atEpochMs)) return [];
    // The CI system has stopped it after it was asked, and before it has answered.
    const asked = before
      .slice(0, stopped && before.indexOf(stopped))
      .findLast(({ written: by }) => by.command === 'askToStop' && by.fields.by === stopped?.written.fields.by);
    const waitedMs = stopped && step.atEpochMs - (asked ?? stopped).atEpochMs;
    if (waitedMs !== undefined && waitedMs >= fields.settleMs) return [];
    const seen =
      waitedMs === undefined
        ? `${fields.by} removed it without`
        : `${fields.by} removed it ${waitedMs} ms later, and not ${fields.settleMs}`;
    const rule = 'a runner gets no job for a while before it is removed';
    return [{ subject: `runner ${key}`, rule, seen, line: step.line }];
  });
}

function isRemoved({ written }: Step<'runner'>): boolean {
  return written.fields.result === 'removed';
}

/** Where a runner is but a name, an agent that registers again gets the same one: that is not taken out any more. */
function lastRemoved(steps: readonly Step<'runner'>[], beforeEpochMs: number): Step<'runner'> | undefined {
  const lastRegistered = steps.findLastIndex(({ written }) => written.command === 'register');
  return steps.slice(lastRegistered + 1).find((step) => isRemoved(step) && step.atEpochMs < beforeEpochMs);
}

const takenOut = 'no launch has a runner that was taken out before';
const goneByItself = 'an agent whose runner has gone by itself has had a job, and gets no other';

function registeredWrongly(
  { runners }: Histories,
  { key, steps }: RecordHistory<'launch'>,
  step: Step<'launch'>,
  index: number,
  skewMs: number,
): Finding[] {
  const { command, fields } = step.written;
  if (command !== 'complete') return [];
  const answersOf = (id: number | undefined) => runners.get(`${fields.ciSystem}/${id}`)?.steps ?? [];
  const gone = lastRemoved(answersOf(fields.runnerId), step.atEpochMs - skewMs);
  const earlier = steps[index - 1]?.written.fields.runnerId;
  const isOther = earlier !== undefined && earlier !== fields.runnerId && answersOf(earlier).length > 0;
  const found = (rule: string, seen: string): Finding => ({ subject: `launch ${key}`, rule, seen, line: step.line });
  const findings = [
    gone && found(takenOut, `${gone.written.fields.by} removed runner ${fields.runnerId}`),
    isOther && !answersOf(earlier).some(isRemoved)
      ? found(goneByItself, `davit did not remove runner ${earlier}`)
      : undefined,
  ];
  return findings.filter((finding) => finding !== undefined);
}

import type { WrittenLaunch } from '../../core/trace/written.ts';
import type { RecordHistory, Step } from './step.ts';

/** A day less than the 14 days for which davit keeps a record. Afterwards its key may be that of another record. */
export const keptMs = 13 * 86_400_000;

/** A span of time, both ends included. */
export interface Span {
  fromEpochMs: number;
  toEpochMs: number;
}

/** Says whether a record was ever so in a span of time: each state lasts until the next one. */
export function wasEver<Kind extends 'launch' | 'job' | 'cluster'>(
  { steps }: RecordHistory<Kind>,
  { fromEpochMs, toEpochMs }: Span,
  isSo: (step: Step<Kind>) => boolean,
): boolean {
  return steps.some((step, index) => {
    const endsAtEpochMs = steps[index + 1]?.atEpochMs ?? Infinity;
    return step.atEpochMs <= toEpochMs && endsAtEpochMs >= fromEpochMs && isSo(step);
  });
}

/** Says whether nothing of a launch is left, as far as davit can see. */
export function isOver({ status }: WrittenLaunch): boolean {
  return status === 'failed' || status === 'terminated';
}

import type { WrittenLaunch } from '../../core/trace/written.ts';
import type { Finding } from '../finding.ts';
import type { Histories } from './histories.ts';
import type { RecordHistory, Step } from './step.ts';
import { wasEver } from './timeline.ts';

const replacedReason = 'its agent has run nothing for so long that another one takes its place';
/** A reconcile reads, decides and asks; Lambda may deliver what it asks for minutes later. */
const roundMs = 900_000;
/** A CI system removes a runner that has been idle for a day. */
const longestIdleMs = 86_400_000;

/** Checks that a warm agent goes only after another has connected in its place, unless its time is about to end. */
export function checkWarm({ launches }: Histories): Finding[] {
  return [...launches.values()].flatMap((launch) =>
    launch.steps.flatMap((step) => {
      const { retiring, connectedAtEpochMs = 0, lifetimeSeconds, pool } = step.written.fields;
      if (step.written.command !== 'retire' || retiring !== replacedReason) return [];
      const mayIdleMs = Math.min((lifetimeSeconds ?? Infinity) * 1000, longestIdleMs);
      if (step.atEpochMs - connectedAtEpochMs >= (mayIdleMs * 3) / 4) return [];
      const span = { fromEpochMs: step.atEpochMs - roundMs, toEpochMs: step.atEpochMs };
      const isSuccessor = ({ written: { fields } }: Step<'launch'>) => isIdle(fields, pool, connectedAtEpochMs);
      const others = [...launches.values()].filter(({ key }) => key !== launch.key);
      if (others.some((other) => wasEver(other, span, isSuccessor))) return [];
      return [findingOf(launch, step)];
    }),
  );
}

/** Says whether an agent of the pool is idle that has connected after this moment. */
function isIdle(
  { status, pool, connectedAtEpochMs, runs }: WrittenLaunch,
  wanted: string | undefined,
  after: number,
): boolean {
  return status === 'connected' && pool === wanted && runs === undefined && (connectedAtEpochMs ?? 0) > after;
}

function findingOf({ key }: RecordHistory<'launch'>, { line }: Step<'launch'>): Finding {
  const rule = 'a warm agent is replaced after another one has connected in its place';
  return { subject: `launch ${key}`, rule, seen: 'no younger idle agent of its pool had', line };
}

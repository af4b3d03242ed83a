import { isDeepStrictEqual } from 'node:util';
import type { WrittenLaunch } from '../../core/trace/written.ts';

/** They end only an agent that has not connected: a failure of the observer is not one of the agent. */
const observers = new Set(['the state machine', 'Step Functions']);
/** The codes with which a sweep ends an agent that has connected, by what it names as the reason. */
const agentEnds: Readonly<Record<string, readonly string[]>> = {
  'the sweep': ['AgentLifetimeExceeded'],
  'the agent exited': ['AgentExited', 'Terminated'],
};

/**
 * Says why a launch may not end so: only its job, a person, its lifetime, its own exit, or its CI system's word that it
 * gets no job ends an agent that has connected.
 */
export function endingRule(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  const { ending } = after;
  if (ending === undefined || after.status !== 'cleaning') return 'it does not end the launch';
  if (before.status === 'cleaning' && before.ending !== undefined) {
    return isDeepStrictEqual(before.ending, ending) ? whyNotReleased(before, after) : 'the first ending stays';
  }
  // A damaged ending is written again.
  if (before.status === 'cleaning') return undefined;
  const mayHold = before.status === 'launching' && ending.outcome === 'failed';
  if (after.hold !== undefined && !mayHold) return 'only the Pod of a launch that failed is held';
  if (before.status === 'launching') return ending.by === 'reconcile' ? whyNotRetired(before) : undefined;
  return before.status === 'connected' ? whyNotEnded(before, ending) : `the launch is ${before.status}`;
}

/** Says why the hold of a launch's Pod may not end so: it ends once, and stays over. */
export function whyNotReleased(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  const { releasedAtEpochMs, ...held } = after.hold ?? {};
  if (before.status !== 'cleaning') return `the launch is ${before.status}`;
  if (releasedAtEpochMs === undefined || !isDeepStrictEqual(before.hold, held)) return 'its Pod is not held';
  return undefined;
}

function whyNotEnded(before: WrittenLaunch, { by, code }: NonNullable<WrittenLaunch['ending']>): string | undefined {
  if (observers.has(by)) return `${by} ends only what has not connected`;
  if (by === 'reconcile') return whyNotRetired(before);
  if (by in agentEnds) return agentEnds[by]?.includes(code) === true ? undefined : `${code} ends no agent`;
  const isByJob = by.includes(' workflow_job completed ');
  return isByJob && before.pool !== undefined && before.runs === undefined ? 'its agent has run no job' : undefined;
}

function whyNotRetired({ retiring, runs }: WrittenLaunch): string | undefined {
  if (retiring === undefined) return 'the launch was not marked before';
  return runs === undefined ? undefined : `its agent runs ${runs}`;
}

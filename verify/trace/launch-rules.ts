import { isDeepStrictEqual } from 'node:util';
import type { WrittenLaunch } from '../../core/trace/written.ts';
import { endingRule, whyNotReleased } from './ending-rule.ts';

/** A field of a launch in a trace. */
export type LaunchField = keyof WrittenLaunch;

/** What one command may do to a launch. */
export interface LaunchRule {
  changes: readonly LaunchField[];
  /** Says why the command may not change a launch from one state to another. @returns undefined when it may */
  why(before: WrittenLaunch, after: WrittenLaunch): string | undefined;
}

/** The fields of a launch's plan. A record whose plan is damaged loses them, and can still be ended. */
export const planFields: readonly LaunchField[] = [
  'agentName',
  'generation',
  'cluster',
  'namespace',
  'profile',
  'lifetimeSeconds',
  'jobKey',
  'pool',
  'standsBy',
  'ciSystem',
  'slots',
];

/** The codes with which a launch leaves its cluster. */
const moves = new Set(['ClusterAway', 'ClusterFull', 'ClusterRefused']);
/** The codes with which infrastructure, or somebody, took a Pod. */
const losses = new Set(['PodPreempted', 'PodEvicted', 'NodeLost', 'DeletedExternally']);

/** Says whether a launch's agent may still come up or work. */
function isUnderWay({ status }: WrittenLaunch): boolean {
  return status === 'launching' || status === 'connected';
}

/** The model's `mayRegister`: the launch is wanted, and its agent has no job yet. */
function whyNotJoining(launch: WrittenLaunch): string | undefined {
  if (!isUnderWay(launch)) return `the launch is ${launch.status}`;
  if (launch.pool === undefined) return 'its agent joins no CI system';
  if (launch.retiring !== undefined) return 'the launch is retiring';
  return launch.runs === undefined ? undefined : `its agent runs ${launch.runs}`;
}

/** The CI system's name at the beginning of a job's key. */
function ciSystemOf(jobKey: string): string {
  return decodeURIComponent(jobKey.split('/')[0] ?? '');
}

/**
 * The launch's state machine, command by command, as docs/model.md describes it: `launch.pml` has the life of a launch,
 * `clusters.pml` its moves, and `queue.pml` its registration. Written from there, and not from the transitions.
 */
export const launchRules: Readonly<Record<string, LaunchRule>> = {
  noteSignal: {
    changes: ['signal'],
    why: (before) => (isUnderWay(before) ? undefined : `the launch is ${before.status}`),
  },
  // A trace does not have the state of the Pod, nor the timeline.
  notePodState: { changes: [], why: whileLaunching },
  noteTimeline: { changes: [], why: whileLaunching },
  clearSignal: {
    changes: ['signal'],
    why: (before, after) => {
      if (after.signal !== undefined) return 'it leaves a signal';
      return before.status === 'launching' ? undefined : `the launch is ${before.status}`;
    },
  },
  markConnected: {
    changes: ['status', 'connectedAtEpochMs'],
    why: (before, after) => {
      if (before.status !== 'launching') return `the launch is ${before.status}`;
      if (before.pool !== undefined) return 'an agent that joins a CI system connects by its registration';
      return after.status === 'connected' && after.connectedAtEpochMs !== undefined ? undefined : 'it does not connect';
    },
  },
  relaunch: {
    changes: ['agentName', 'generation', 'cluster', 'generations', 'signal', 'registration'],
    why: whyNotAgain,
  },
  end: { changes: ['status', 'ending', 'hold', ...planFields], why: endingRule },
  noteDiagnostics: { changes: planFields, why: whileCleaning },
  claimCleanUp: {
    changes: ['cleanUpAskedAtEpochMs', 'hold', ...planFields],
    why: (before, after) => {
      if (!isDeepStrictEqual(before.hold, after.hold)) return whyNotOverdue(before, after);
      const isLater = (after.cleanUpAskedAtEpochMs ?? 0) > (before.cleanUpAskedAtEpochMs ?? 0);
      return isLater ? whileCleaning(before) : 'it is no later request';
    },
  },
  markCleaned: {
    changes: ['status', 'cleanedAtEpochMs', ...planFields],
    why: (before, after) => (after.cleanedAtEpochMs === undefined ? 'it has no moment' : whyNotOver(before, after)),
  },
  markLeft: {
    changes: ['status', 'left', ...planFields],
    why: (before, after) => (after.left === undefined ? 'it names no cluster' : whyNotOver(before, after)),
  },
  standBy: { changes: ['status', 'connectedAtEpochMs', 'standby', 'signal'], why: whyNotStandingBy },
  noteRenewal: {
    changes: ['standby'],
    why: ({ standby: known, ...before }, { standby: after }) => {
      if (known === undefined || after === undefined) return 'its agent does not stand by';
      if (!isDeepStrictEqual({ ...known, renewals: 0 }, { ...after, renewals: 0 })) return 'it changes more';
      return (after.renewals ?? 0) > (known.renewals ?? 0) ? whyNotJoining(before) : 'it takes a renewal back';
    },
  },
  summon: {
    changes: ['standby'],
    why: ({ standby: known, ...before }, { standby: after }) => {
      if (known === undefined) return 'its agent does not stand by';
      if (known.summonedFor !== undefined) return `its agent is summoned for ${known.summonedFor}`;
      if (!isDeepStrictEqual({ ...known, summonedFor: after?.summonedFor }, after)) return 'it changes more';
      return whyNotJoining(before);
    },
  },
  begin: {
    changes: ['registration'],
    why: (before, after) => {
      const [known, begun] = [before.registration, after.registration];
      if (before.standby !== undefined && before.standby.summonedFor === undefined) return 'its agent stands by';
      if (begun === undefined || begun.count !== (known?.count ?? 0) + 1) return 'it does not count one more';
      if (known !== undefined && begun.begunAtEpochMs <= known.begunAtEpochMs) return 'a later one has begun';
      return begun.nonce === known?.nonce ? 'it has the nonce of the one before' : whyNotJoining(before);
    },
  },
  take: {
    changes: ['registration'],
    why: (before, after) => {
      const [known, taken] = [before.registration, after.registration];
      if (known === undefined || taken === undefined) return 'no registration has begun';
      if (taken.count !== known.count || taken.begunAtEpochMs !== known.begunAtEpochMs) return 'it is another one';
      return taken.nonce === known.nonce ? 'its taker has no nonce of its own' : whyNotJoining(before);
    },
  },
  complete: {
    changes: ['status', 'connectedAtEpochMs', 'runnerId', 'deregisteredAtEpochMs', 'signal'],
    why: whyNotRegistered,
  },
  bind: { changes: ['runs', 'ranAtEpochMs'], why: whyNotBound },
  retire: {
    changes: ['retiring'],
    why: (before) => {
      if (!isUnderWay(before)) return `the launch is ${before.status}`;
      if (before.retiring !== undefined) return 'it is retiring already';
      return before.runs === undefined ? undefined : `its agent runs ${before.runs}`;
    },
  },
  noteDeregistered: {
    changes: ['deregisteredAtEpochMs'],
    why: (before) => {
      if (before.runnerId === undefined) return 'it has no runner';
      return before.deregisteredAtEpochMs === undefined ? undefined : 'its runner is out already';
    },
  },
};

function whyNotStandingBy(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  if (before.standsBy === undefined) return 'its pool has no warm agents';
  if (before.status !== 'launching') return `the launch is ${before.status}`;
  if (before.registration !== undefined || before.runnerId !== undefined) return 'its agent has begun to register';
  const { status, connectedAtEpochMs, standby } = after;
  if (status !== 'connected' || standby === undefined) return 'it does not connect';
  if (standby.sinceEpochMs !== connectedAtEpochMs || Object.keys(standby).length !== 1) return 'it has a past';
  return whyNotJoining(before);
}

function whileLaunching({ status }: WrittenLaunch): string | undefined {
  return status === 'launching' ? undefined : `the launch is ${status}`;
}

function whileCleaning({ status }: WrittenLaunch): string | undefined {
  return status === 'cleaning' ? undefined : `the launch is ${status}`;
}

/** A sweep ends a hold only when its time is over. */
function whyNotOverdue(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  const { untilEpochMs, releasedAtEpochMs = 0 } = after.hold ?? { untilEpochMs: Infinity };
  return releasedAtEpochMs < untilEpochMs ? 'its Pod is to be held for longer' : whyNotReleased(before, after);
}

function whyNotOver(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  if (before.ending === undefined) return 'nothing has ended the launch';
  return after.status === before.ending.outcome ? whileCleaning(before) : `its ending is ${before.ending.outcome}`;
}

function whyNotAgain(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  if (before.status !== 'launching') return `the launch is ${before.status}`;
  const ended = after.generations.at(-1);
  if (after.generations.length !== before.generations.length + 1 || ended === undefined) return 'no generation ended';
  if (ended.agentName !== before.agentName) return `${ended.agentName} ended, and not the present ${before.agentName}`;
  if (after.generation !== (before.generation ?? 0) + 1) return 'it is not the next generation';
  if (after.generations.some(({ agentName }) => agentName === after.agentName)) return 'its name has been used';
  if (after.registration !== undefined) return 'the registration of the generation before is still there';
  if (!moves.has(ended.code) && !losses.has(ended.code)) return `${ended.code} ends a launch`;
  return whyNotThere(before, after, moves.has(ended.code));
}

function whyNotThere(before: WrittenLaunch, after: WrittenLaunch, isMove: boolean): string | undefined {
  if (!isMove) return after.cluster === before.cluster ? undefined : 'only a move changes the cluster';
  const used = after.generations.map(({ cluster }) => cluster);
  return used.includes(after.cluster) ? `it has left ${after.cluster} before` : undefined;
}

function whyNotRegistered(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  if (before.registration === undefined) return 'no registration has begun';
  if (after.status !== 'connected' || after.runnerId === undefined) return 'it does not connect';
  if ((before.connectedAtEpochMs ?? after.connectedAtEpochMs) !== after.connectedAtEpochMs) {
    return 'the first moment of connecting is lost';
  }
  const isReplaced = before.runnerId !== undefined && before.runnerId !== after.runnerId;
  if (isReplaced && before.deregisteredAtEpochMs === undefined) return `runner ${before.runnerId} may still be there`;
  return whyNotJoining(before);
}

function whyNotBound(before: WrittenLaunch, after: WrittenLaunch): string | undefined {
  if (before.runnerId === undefined || before.ciSystem === undefined) return 'its agent is not registered';
  if (after.runs === undefined) return 'it names no job';
  if (before.runs !== undefined && before.runs !== after.runs) return `its agent runs ${before.runs}`;
  if (before.ranAtEpochMs !== undefined) return 'its job is over already';
  return ciSystemOf(after.runs) === before.ciSystem ? undefined : `its runner is one of ${before.ciSystem}`;
}

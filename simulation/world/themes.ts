import type { FaultKind } from './fault-kinds.ts';
import { Random, seedOf } from './random.ts';

/**
 * Faults that meet in one part of the protocol. A bug there often needs two or three of them at once, which kinds chosen
 * from all seldom are.
 */
export interface Theme {
  kinds: readonly FaultKind[];
  /** Whether they are faults of a queue, which the world then has. */
  isOfQueue: boolean;
}

const ofQueues: readonly (readonly FaultKind[])[] = [
  // An agent is retired while its CI system gives it a job.
  ['ciJobCancelled', 'jobJustThen', 'handOutSlow', 'foreignRunner', 'ciSlow', 'ciEventLate', 'ciEventLost'],
  ['jobJustThen', 'handOutSlow', 'ciJobCancelled'],
  ['jobJustThen', 'handOutSlow', 'ciEventJustThen', 'ciJobCancelled', 'foreignRunner'],
  // An agent registers more than once, or while nobody wants it any more.
  ['agentTwice', 'agentDeaf', 'ciAnswerLost', 'ciSlow', 'invokedTwice', 'reconcileTwice', 'ciJobCancelled'],
  ['agentSlow', 'imagePullLong', 'unschedulable', 'ciJobCancelled', 'foreignRunner', 'ciSlow'],
  ['agentSlow', 'imagePullLong', 'unschedulable', 'agentDeaf', 'agentTwice', 'ciSlow', 'reconcileTwice'],
  ['ciRegistersSlowly', 'agentSlow', 'imagePullLong', 'ciJobCancelled', 'foreignRunner', 'crashAfterWrite'],
  ['ciRegistersSlowly', 'agentTwice', 'agentDeaf', 'unschedulable', 'ciJobCancelled', 'reconcileTwice', 'stalled'],
  ['ciMinuteFull', 'agentEager', 'agentTwice', 'agentDeaf', 'ciAnswerLost', 'invokedTwice', 'ciJobCancelled'],
  ['jobAsksAgain', 'ciEventLost', 'ciEventLate'],
  // What the CI system lists is not all that it has.
  ['listMissesOne', 'staleJobList', 'repositoryQuiet', 'ciJobLong', 'ciEventLost', 'staleList'],
  // Infrastructure takes agents that run jobs.
  ['nodeLost', 'nodeGone', 'spotReclaimed', 'podEvicted', 'ciJobRerun', 'ciJobLong', 'ciEventLost'],
  ['nodeGone', 'podEvicted', 'spotReclaimed', 'ciJobRerun', 'ciJobFails', 'ciJobLong'],
  ['podEvicted', 'podPreempted', 'spotReclaimed', 'runnerFailsJob', 'ciJobLong', 'stalled'],
  // Strangers, and runners that davit has not launched.
  ['runnerImpostor', 'otherCiEvent', 'foreignRunner'],
  // Agents end by themselves.
  ['warmLeaves', 'agentFinishes', 'agentLeaves', 'containerCrashes', 'ciEventLost', 'deletedByPeople'],
  // Many jobs wait for few agents, which go slowly; reconciling is late or twice.
  ['podOutlives', 'serviceOutlives', 'deletedByPeople', 'ciJobCancelled', 'reconcileTwice', 'ciEventLost'],
  ['slotLost', 'podOutlives', 'serviceOutlives', 'staleList', 'deletedByPeople', 'ciJobCancelled'],
  ['reconcileTwice', 'ciEventLost', 'ciAssignsNothing', 'staleList', 'ciSlow'],
  // Events are as old as a clock says.
  ['ciClockOff', 'ciEventLate', 'ciEventLost', 'clockSkew'],
];

const ofAll: readonly (readonly FaultKind[])[] = [
  // Infrastructure takes agents that come up, and functions are run again.
  ['podEvicted', 'spotReclaimed', 'deletedByOthers', 'stalled', 'slowStart', 'invokeAnswerLost', 'invokedTwice'],
  ['podEvicted', 'podPreempted', 'invokeAnswerLost', 'slowStart', 'imagePullLong'],
  // Clusters come and go.
  ['clusterPartition', 'clusterOutage', 'watchSilent', 'clusterThrottled', 'stalled'],
  ['admissionDown', 'namespaceMissing', 'createForbidden', 'clusterPartition', 'quotaFull'],
  // Strangers.
  ['strangersRunner', 'ranElsewhere', 'webhookReordered', 'webhookLate'],
  // Agents wait for their addresses, and their launches end.
  ['deletedJustThen', 'hostLate', 'agentEager', 'slowStart', 'storeThrottled'],
  // Launches end by several hands.
  [
    'deletedByPeople',
    'deletedTwice',
    'ciJobCancelled',
    'jobCancelled',
    'webhookReordered',
    'crashAfterWrite',
    'stalled',
  ],
  // Functions die between their writes.
  ['crashBeforeWrite', 'crashAfterWrite', 'storeAnswerLost', 'storeRepeated', 'staleExecution', 'sweepAnyMoment'],
];

/** Two runs of five have a theme. @returns undefined for the others */
export function themeOf(seed: number): Theme | undefined {
  const random = new Random(seedOf(seed, 'theme'));
  if (!random.chance(0.4)) return undefined;
  const isOfQueue = random.chance(0.6);
  return { kinds: random.pick(isOfQueue ? ofQueues : ofAll), isOfQueue };
}

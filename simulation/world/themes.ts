import type { FaultKind } from './fault-kinds.ts';

/**
 * Faults that meet in one part of the protocol. A bug there often needs two or three of them at once, which kinds chosen
 * from all seldom are.
 */
export const themes: readonly (readonly FaultKind[])[] = [
  // An agent is retired while its CI system gives it a job.
  ['ciJobCancelled', 'jobJustThen', 'handOutSlow', 'foreignRunner', 'ciSlow', 'ciEventLate', 'ciEventLost'],
  // An agent registers more than once, or while its launch ends.
  [
    'agentTwice',
    'agentDeaf',
    'jobAsksAgain',
    'ciAnswerLost',
    'ciSlow',
    'invokedTwice',
    'ciEventLost',
    'ciJobCancelled',
  ],
  ['jobAsksAgain', 'ciEventLost', 'ciEventLate'],
  // What the CI system lists is not all that it has.
  ['listMissesOne', 'staleJobList', 'repositoryQuiet', 'ciJobLong', 'ciEventLost', 'staleList'],
  // Infrastructure takes agents, before and after they run jobs.
  ['nodeLost', 'nodeGone', 'spotReclaimed', 'podEvicted', 'ciJobRerun', 'ciJobLong', 'ciEventLost'],
  ['podEvicted', 'spotReclaimed', 'deletedByOthers', 'stalled', 'slowStart', 'invokeAnswerLost', 'invokedTwice'],
  // Clusters come and go.
  ['clusterPartition', 'clusterOutage', 'watchSilent', 'clusterThrottled', 'stalled'],
  ['admissionDown', 'namespaceMissing', 'createForbidden', 'clusterPartition', 'quotaFull'],
  // Strangers, and runners that davit has not launched.
  ['strangersRunner', 'runnerImpostor', 'otherCiEvent', 'foreignRunner', 'ranElsewhere'],
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
  // Agents end by themselves.
  ['warmLeaves', 'agentFinishes', 'agentLeaves', 'containerCrashes', 'webhookLost', 'ciEventLost', 'deletedByPeople'],
  // Functions die between their writes.
  ['crashBeforeWrite', 'crashAfterWrite', 'storeAnswerLost', 'storeRepeated', 'staleExecution', 'sweepAnyMoment'],
  // Reconciling is late or twice, and many jobs wait for few agents.
  ['reconcileTwice', 'ciEventLost', 'ciAssignsNothing', 'staleList', 'podOutlives', 'serviceOutlives'],
  // Events are as old as a clock says.
  ['ciClockOff', 'ciEventLate', 'ciEventLost', 'clockSkew', 'stalled'],
];

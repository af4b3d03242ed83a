import { assumed } from '../assumptions.ts';
import { billedFunctions, httpRequests, readUnits, writeUnits } from '../cost-model.ts';
import type { Counts } from '../counts.ts';
import type { StackShape } from '../stack-shape.ts';

/** What one launch takes of what is limited. */
export interface Use {
  /** From when its Service is there until it is gone, in seconds: the agent's start, and its job. */
  lifeSeconds: number;
  /** Of functions, in seconds: with one launch a second, as many run at once. */
  functionSeconds: number;
  clusterRequests: number;
  httpRequests: number;
  executionsStarted: number;
  executionsStopped: number;
  transitions: number;
  /** Of its record. */
  changes: number;
  writeUnits: number;
  /** What the item of a launch takes in the index, to come and to go. */
  indexUnits: number;
  readUnits: number;
  events: number;
}

/** Adds up what one launch takes. */
export function useOf(counts: Counts, shape: StackShape): Use {
  const { calls, transitions } = counts.launch;
  const functions = billedFunctions(counts, shape);
  const sumOf = (meant: RegExp) =>
    Object.entries(calls).reduce((sum, [call, count]) => (meant.test(call) ? sum + count : sum), 0);
  return {
    lifeSeconds: counts.agentSeconds + assumed.jobSeconds,
    functionSeconds: functions.reduce((sum, { billedSeconds }) => sum + billedSeconds, 0),
    // A watch takes its place in the queue when it begins, and not while it lasts.
    clusterRequests: sumOf(/^kubernetes:/),
    httpRequests: httpRequests(counts),
    executionsStarted: sumOf(/^states:StartExecution$/),
    executionsStopped: sumOf(/^states:StopExecution$/),
    transitions,
    changes: sumOf(/^dynamodb:(PutItem|UpdateItem) davit-launches$/),
    writeUnits: writeUnits(counts, shape),
    indexUnits: 2 * Math.ceil(counts.recordBytes / 1024),
    readUnits: readUnits(counts),
    events: sumOf(/^events:PutEvents$/),
  };
}

import { assumed } from '../assumptions.ts';
import { billedFunctions, httpRequests, readUnits, writeUnits } from '../cost-model.ts';
import type { Counts } from '../counts.ts';
import type { StackShape } from '../stack-shape.ts';

/** How much one launch uses of each limited resource. */
export interface Use {
  /** How long the launch's Service exists, in seconds: the agent's start, and its job. */
  lifeSeconds: number;
  /** Total running time of its functions, in seconds. At one launch a second, that many functions run at once. */
  functionSeconds: number;
  clusterRequests: number;
  httpRequests: number;
  executionsStarted: number;
  executionsStopped: number;
  transitions: number;
  /** Changes of the launch's record. */
  changes: number;
  writeUnits: number;
  /** Write units of the launch's entry in the index, to enter a status and to leave it. */
  indexUnits: number;
  readUnits: number;
  events: number;
}

/** Adds up the use of one launch. */
export function useOf(counts: Counts, shape: StackShape): Use {
  const { launch } = counts;
  const { calls, transitions } = launch;
  const functions = billedFunctions(launch, shape);
  const sumOf = (meant: RegExp) =>
    Object.entries(calls).reduce((sum, [call, count]) => (meant.test(call) ? sum + count : sum), 0);
  return {
    lifeSeconds: counts.agentSeconds + assumed.jobSeconds,
    functionSeconds: functions.reduce((sum, { billedSeconds }) => sum + billedSeconds, 0),
    // A watch counts only while it starts.
    clusterRequests: sumOf(/^kubernetes:/),
    httpRequests: httpRequests(launch),
    executionsStarted: sumOf(/^states:StartExecution$/),
    executionsStopped: sumOf(/^states:StopExecution$/),
    transitions,
    changes: sumOf(/^dynamodb:(PutItem|UpdateItem) davit-launches$/),
    writeUnits: writeUnits(launch),
    indexUnits: 2,
    readUnits: readUnits(launch),
    events: sumOf(/^events:PutEvents$/),
  };
}

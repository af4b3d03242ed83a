import { isOffline, labelsOf } from './node-state.ts';
import type { JenkinsNode, QueueItem } from './records.ts';

/** The reasons why an item waits. @see core/src/main/resources/hudson/model/Messages.properties */
const words = {
  nodeOffline: (node: string) => `‘${node}’ is offline`,
  allNodesOffline: (label: string) => `All nodes of label ‘${label}’ are offline`,
  noNodes: (label: string) => `There are no nodes with the label ‘${label}’`,
  waiting: 'Waiting for next available executor',
  waitingOn: (name: string) => `Waiting for next available executor on ‘${name}’`,
  quietPeriod: (left: string) => `In the quiet period. Expires in ${left}`,
  finishedWaiting: 'Finished waiting',
  shuttingDown: 'Jenkins is about to shut down',
};

/** The server's state that decides why an item waits. */
export interface QueueView {
  nodes: readonly JenkinsNode[];
  quietingDown: boolean;
  nowEpochMs: number;
  /** The number of the running build that blocks an item of a job. */
  runningBuildOf(job: string): number | undefined;
}

/**
 * Why an item waits. A label is named only when no node or more than one has it: the only node that has it is named
 * instead, and without any node nothing is.
 *
 * @see hudson.model.Queue.BuildableItem#getCauseOfBlockage, hudson.model.Queue.WaitingItem#getCauseOfBlockage
 */
export function whyOf(item: QueueItem, view: QueueView): string | null {
  if (item.state === 'left') return null;
  if (item.state === 'waiting') return quietPeriod(item.quietUntilEpochMs - view.nowEpochMs);
  // jenkins.model.BlockedBecauseOfBuildInProgress
  if (item.state === 'blocked') return `Build #${view.runningBuildOf(item.job)} is already in progress (ETA: N/A)`;
  if (view.quietingDown) return words.shuttingDown;
  const { label } = item;
  if (label === undefined || view.nodes.length === 0) return words.waiting;
  const nodes = view.nodes.filter((node) => label.matches(labelsOf(node)));
  const [only] = nodes;
  if (!nodes.every(isOffline)) return words.waitingOn(nodes.length === 1 && only ? only.name : label.name);
  if (only === undefined) return words.noNodes(label.name);
  return nodes.length === 1 ? words.nodeOffline(only.name) : words.allNodesOffline(label.name);
}

/** Whether a node may take an item. @see hudson.model.Queue.JobOffer#getCauseOfBlockage */
export function mayTake(node: JenkinsNode, { label }: QueueItem): boolean {
  const isFit = label === undefined ? node.mode === 'NORMAL' : label.matches(labelsOf(node));
  return isFit && !isOffline(node);
}

/** @see hudson.Util#getTimeSpanString */
function quietPeriod(leftMs: number): string {
  if (leftMs < 0) return words.finishedWaiting;
  return words.quietPeriod(leftMs < 100 ? `${leftMs} ms` : `${(leftMs / 1000).toFixed(leftMs < 10_000 ? 1 : 0)} sec`);
}

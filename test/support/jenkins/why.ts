import { isOffline, labelsOf } from './node-state.ts';
import type { JenkinsNode, QueueItem } from './records.ts';

/** The server's state that decides why an item waits. */
export interface QueueView {
  nodes: readonly JenkinsNode[];
  /** Executors of the controller itself. It runs no build in these tests: it is EXCLUSIVE and its label is never asked for. */
  builtInExecutors: number;
  quietingDown: boolean;
  nowEpochMs: number;
  /** The number of the running build that blocks an item of a job. */
  runningBuildOf(job: string): number | undefined;
}

// The words are those of core/src/main/resources/hudson/model/Messages.properties, as `Accept-Language: en` gets them.
const builtInName = 'Built-In Node';

/**
 * Why an item waits, in English. A label is named only when no node or more than one has it: the only node that has it
 * is named instead, and without any node nothing is.
 *
 * @see hudson.model.Queue.BuildableItem#getCauseOfBlockage, hudson.model.Queue.WaitingItem#getCauseOfBlockage
 */
export function whyOf(item: QueueItem, view: QueueView): string | null {
  if (item.state === 'left') return null;
  if (item.state === 'waiting') return quietPeriod(item.quietUntilEpochMs - view.nowEpochMs);
  // hudson.model.AbstractProject, jenkins.model.BlockedBecauseOfBuildInProgress
  if (item.state === 'blocked') return `Build #${view.runningBuildOf(item.job)} is already in progress (ETA: N/A)`;
  if (view.quietingDown) return 'Jenkins is about to shut down';
  const { label } = item;
  const idleAnywhere = view.builtInExecutors > 0 || view.nodes.some(hasIdleExecutor);
  if (label === undefined || view.nodes.length === 0) {
    const refusals = refusalsOf(item, view);
    return idleAnywhere && refusals.length > 0 ? refusals.join('; ') : 'Waiting for next available executor';
  }
  const nodes = view.nodes.filter((node) => label.matches(labelsOf(node)));
  const [only] = nodes;
  if (nodes.every(isOffline)) {
    if (only === undefined) return `There are no nodes with the label ‘${label.name}’`;
    return nodes.length === 1 ? `‘${only.name}’ is offline` : `All nodes of label ‘${label.name}’ are offline`;
  }
  return `Waiting for next available executor on ‘${nodes.length === 1 ? only?.name : label.name}’`;
}

/** Why a node does not take an item; undefined when it may. @see hudson.model.Queue.JobOffer#getCauseOfBlockage */
export function refusalOf(node: JenkinsNode, { label }: QueueItem): string | undefined {
  if (label !== undefined && !label.matches(labelsOf(node))) return `‘${node.name}’ doesn’t have label ‘${label.name}’`;
  if (label === undefined && node.mode === 'EXCLUSIVE') return reserved(node.name);
  return isOffline(node) ? `‘${node.name}’ is offline` : undefined;
}

/** The reasons of the nodes with idle executors, sorted, each once. @see jenkins.model.queue.CompositeCauseOfBlockage */
function refusalsOf(item: QueueItem, { nodes, builtInExecutors }: QueueView): string[] {
  const idle = nodes.filter((node) => node.executors.includes(undefined));
  const reasons = idle.flatMap((node) => refusalOf(node, item) ?? []);
  if (builtInExecutors > 0) {
    reasons.push(item.label ? `‘${builtInName}’ doesn’t have label ‘${item.label.name}’` : reserved(builtInName));
  }
  return Array.from(new Set(reasons)).sort();
}

function reserved(name: string): string {
  return `‘${name}’ is reserved for jobs with matching label expression`;
}

function hasIdleExecutor(node: JenkinsNode): boolean {
  return !isOffline(node) && node.executors.includes(undefined);
}

/** @see hudson.Util#getTimeSpanString */
function quietPeriod(leftMs: number): string {
  if (leftMs < 0) return 'Finished waiting';
  const left = leftMs < 100 ? `${leftMs} ms` : `${(leftMs / 1000).toFixed(leftMs < 10_000 ? 1 : 0)} sec`;
  return `In the quiet period. Expires in ${left}`;
}

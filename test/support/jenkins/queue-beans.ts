import { causesBean, executableBean, jobUrl, type RootUrl } from './build-beans.ts';
import type { Bean } from './exported.ts';
import { isOffline, labelsOf } from './node-state.ts';
import type { QueueItem } from './records.ts';
import { type QueueView, whyOf } from './why.ts';

/** `/queue/api/json`. Jenkins lists the newest buildable items first. @see hudson.model.Queue#getItems */
export function queueBean(root: RootUrl, items: readonly QueueItem[], view: QueueView): Bean {
  const inState = (state: QueueItem['state']) => items.filter((item) => item.state === state);
  const sorted = [...inState('waiting'), ...inState('blocked'), ...inState('buildable').toReversed()];
  const shown = sorted.map((item) => itemBean(root, item, view));
  return { className: 'hudson.model.Queue', fields: { discoverableItems: [], items: shown } };
}

/** `/queue/item/ID/api/json`. @see hudson.model.Queue.Item and its subclasses */
export function itemBean(root: RootUrl, item: QueueItem, view: QueueView): Bean {
  const { state, build } = item;
  const isLeft = state === 'left';
  return {
    className: `hudson.model.Queue$${itemClasses[state]}`,
    isAlwaysShown: true,
    fields: {
      actions: [causesBean(item.causedBy)],
      blocked: state === 'blocked',
      buildable: state === 'buildable',
      id: item.id,
      inQueueSince: item.inQueueSinceEpochMs,
      params: '',
      stuck: state === 'buildable' && isStuck(item, view),
      task: taskBean(root, item),
      url: `queue/item/${item.id}/`,
      why: whyOf(item, view),
      ...(state === 'waiting' ? { timestamp: item.quietUntilEpochMs } : {}),
      ...(state === 'blocked' || state === 'buildable'
        ? { buildableStartMilliseconds: item.buildableSinceEpochMs ?? 0 }
        : {}),
      ...(state === 'buildable' ? { pending: false } : {}),
      ...(isLeft
        ? { cancelled: build === undefined, executable: build === undefined ? null : executableBean(root, build) }
        : {}),
    },
  };
}

const itemClasses = { waiting: 'WaitingItem', blocked: 'BlockedItem', buildable: 'BuildableItem', left: 'LeftItem' };

/**
 * The task of an item: a freestyle job exports its label, a pipeline's placeholder does not.
 *
 * @see hudson.model.AbstractProject#getAssignedLabelString, ExecutorStepExecution.PlaceholderTask of the plugin
 *   workflow-durable-task-step
 */
function taskBean(root: RootUrl, { job, partOf, request }: QueueItem): Bean {
  if (partOf === undefined) {
    const fields = { name: job, url: jobUrl(root, job), color: 'notbuilt', labelExpression: request.label ?? null };
    return { className: 'hudson.model.FreeStyleProject', isAlwaysShown: true, fields };
  }
  const name = `part of ${job} #${partOf.number}`;
  const className = 'org.jenkinsci.plugins.workflow.support.steps.ExecutorStepExecution$PlaceholderTask';
  // The URL of a run is relative: hudson.model.Run#getUrl.
  return {
    className,
    isAlwaysShown: true,
    fields: { fullDisplayName: name, name, url: `job/${job}/${partOf.number}/` },
  };
}

/** `BuildableItem.isStuck`, without the estimates: no node of the label is online. */
function isStuck({ label }: QueueItem, { nodes }: QueueView): boolean {
  return label !== undefined && nodes.filter((node) => label.matches(labelsOf(node))).every(isOffline);
}

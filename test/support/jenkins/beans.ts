import type { Bean } from './exported.ts';
import { describeCause, isIdle, isOffline, labelsOf, offlineReasonOf } from './node-state.ts';
import type { JenkinsBuild, JenkinsNode, QueueItem } from './records.ts';
import { type QueueView, whyOf } from './why.ts';
import type { Words } from './words.ts';

/** The root of the API's URLs, with a trailing slash. */
export type RootUrl = string;

/** `/queue/api/json`. Jenkins lists the newest buildable items first. @see hudson.model.Queue#getItems */
export function queueBean(root: RootUrl, items: readonly QueueItem[], view: QueueView, words: Words): Bean {
  const inState = (state: QueueItem['state']) => items.filter((item) => item.state === state);
  const sorted = [...inState('waiting'), ...inState('blocked'), ...inState('buildable').toReversed()];
  const shown = sorted.map((item) => itemBean(root, item, view, words));
  return { className: 'hudson.model.Queue', fields: { discoverableItems: [], items: shown } };
}

/** `/queue/item/ID/api/json`. @see hudson.model.Queue.Item and its subclasses */
export function itemBean(root: RootUrl, item: QueueItem, view: QueueView, words: Words): Bean {
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
      why: whyOf(item, view, words),
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

/** `/computer/api/json`: the built-in node and the agents, sorted by name. @see hudson.model.ComputerSet */
export function computersBean(root: RootUrl, { nodes, builtInExecutors }: QueueView): Bean {
  const sorted = Array.from(nodes).sort((a, b) => (a.name < b.name ? -1 : 1));
  const online = sorted.filter((node) => !isOffline(node));
  const busy = online.flatMap(({ executors }) => executors.filter((build) => build !== undefined));
  const total = online.flatMap(({ executors }) => executors).length + builtInExecutors;
  const computer = [builtInBean(builtInExecutors), ...sorted.map((node) => computerBean(root, node))];
  const fields = { busyExecutors: busy.length, computer, displayName: 'Nodes', totalExecutors: total };
  return { className: 'hudson.model.ComputerSet', fields };
}

/** `/computer/NAME/api/json`. @see hudson.model.Computer, hudson.slaves.SlaveComputer */
export function computerBean(root: RootUrl, node: JenkinsNode): Bean {
  return {
    className: 'hudson.slaves.SlaveComputer',
    isAlwaysShown: true,
    fields: {
      actions: [],
      assignedLabels: Array.from(labelsOf(node), (name) => ({ isAlwaysShown: true, fields: { name } })),
      description: node.description,
      displayName: node.name,
      executors: node.executors.map((build, number) => executorBean(root, build, number)),
      idle: isIdle(node),
      jnlpAgent: true,
      launchSupported: false,
      manualLaunchAllowed: true,
      numExecutors: node.executors.length,
      offline: isOffline(node),
      offlineCause: offlineCauseBean(node),
      offlineCauseReason: offlineReasonOf(node),
      oneOffExecutors: [],
      temporarilyOffline: node.temporaryOfflineCause !== undefined,
    },
  };
}

/** @see jenkins.model.Jenkins.MasterComputer, whose class is exported under Hudson's name */
function builtInBean(executors: number): Bean {
  return {
    className: 'hudson.model.Hudson$MasterComputer',
    isAlwaysShown: true,
    fields: {
      assignedLabels: [{ isAlwaysShown: true, fields: { name: 'built-in' } }],
      displayName: 'Built-In Node',
      executors: Array.from({ length: executors }, (_, number) => executorBean('', undefined, number)),
      idle: true,
      jnlpAgent: false,
      numExecutors: executors,
      offline: false,
      offlineCause: null,
      offlineCauseReason: '',
      oneOffExecutors: [],
      temporarilyOffline: false,
    },
  };
}

function offlineCauseBean({ temporaryOfflineCause: cause, lostConnection }: JenkinsNode): Bean | null {
  if (cause !== undefined) {
    const fields = { timestamp: cause.atEpochMs, description: describeCause(cause.userId, cause.message) };
    return { className: 'hudson.slaves.OfflineCause$UserCause', isAlwaysShown: true, fields };
  }
  if (lostConnection === undefined) return null;
  return { className: 'hudson.slaves.OfflineCause$ChannelTermination', isAlwaysShown: true, fields: {} };
}

/** @see hudson.model.Executor */
function executorBean(root: RootUrl, build: JenkinsBuild | undefined, number: number): Bean {
  const currentExecutable = build === undefined ? null : executableBean(root, build);
  return { fields: { currentExecutable, idle: build === undefined, likelyStuck: false, number, progress: -1 } };
}

/** What an executor runs: a freestyle build, or a part of a pipeline. @see ExecutorStepExecution.PlaceholderTask.PlaceholderExecutable */
function executableBean(root: RootUrl, build: JenkinsBuild): Bean {
  if (build.kind === 'freestyle') return buildBean(root, build);
  const name = `part of ${build.job} #${build.number}`;
  return {
    className:
      'org.jenkinsci.plugins.workflow.support.steps.ExecutorStepExecution$PlaceholderTask$PlaceholderExecutable',
    fields: {
      displayName: name,
      estimatedDuration: -1,
      fullDisplayName: name,
      number: build.number,
      timestamp: build.startedAtEpochMs,
      url: `${jobUrl(root, build.job)}${build.number}/`,
    },
  };
}

/** A run, in `/job/NAME/NUMBER/api/json` and where one is named. @see hudson.model.Run */
export function buildBean(root: RootUrl, build: JenkinsBuild): Bean {
  const { kind, job, number, result, builtOn, queueId } = build;
  return {
    className: kind === 'freestyle' ? 'hudson.model.FreeStyleBuild' : 'org.jenkinsci.plugins.workflow.job.WorkflowRun',
    fields: {
      actions: [causesBean(build.causedBy)],
      building: result === undefined,
      displayName: `#${number}`,
      fullDisplayName: `${job} #${number}`,
      id: String(number),
      number,
      queueId,
      result: result ?? null,
      timestamp: build.startedAtEpochMs,
      url: `${jobUrl(root, job)}${number}/`,
      // Only AbstractBuild exports it.
      ...(kind === 'freestyle' ? { builtOn: builtOn ?? '' } : {}),
    },
  };
}

/** @see hudson.model.Cause.UserIdCause */
function causesBean(user: string): Bean {
  const fields = { shortDescription: `Started by user ${user}`, userId: user, userName: user };
  const causes = [{ className: 'hudson.model.Cause$UserIdCause', isAlwaysShown: true, fields }];
  return { className: 'hudson.model.CauseAction', isAlwaysShown: true, fields: { causes } };
}

function jobUrl(root: RootUrl, job: string): string {
  return `${root}job/${encodeURIComponent(job)}/`;
}

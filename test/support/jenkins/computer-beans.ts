import { executableBean, type RootUrl } from './build-beans.ts';
import type { Bean } from './exported.ts';
import { describeCause, isIdle, isOffline, labelsOf, offlineReasonOf } from './node-state.ts';
import type { JenkinsBuild, JenkinsNode } from './records.ts';
import type { QueueView } from './why.ts';

/** `/computer/api/json`: the built-in node and the agents, sorted by name. @see hudson.model.ComputerSet */
export function computersBean(root: RootUrl, { nodes }: QueueView): Bean {
  const sorted = Array.from(nodes).sort((a, b) => (a.name < b.name ? -1 : 1));
  const online = sorted.filter((node) => !isOffline(node));
  const busy = online.flatMap(({ executors }) => executors.filter((build) => build !== undefined));
  const total = online.flatMap(({ executors }) => executors).length;
  const computer = [builtInNode, ...sorted.map((node) => computerBean(root, node))];
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

/** It has no executors, as Jenkins advises. @see jenkins.model.Jenkins.MasterComputer, exported under Hudson's name */
const builtInNode: Bean = {
  className: 'hudson.model.Hudson$MasterComputer',
  isAlwaysShown: true,
  fields: {
    assignedLabels: [{ isAlwaysShown: true, fields: { name: 'built-in' } }],
    displayName: 'Built-In Node',
    executors: [],
    idle: true,
    jnlpAgent: false,
    numExecutors: 0,
    offline: false,
    offlineCause: null,
    offlineCauseReason: '',
    oneOffExecutors: [],
    temporarilyOffline: false,
  },
};

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

/** The reasons why an item waits. @see core/src/main/resources/hudson/model/Messages.properties */
export const words = {
  nodeOffline: (node: string) => `‘${node}’ is offline`,
  allNodesOffline: (label: string) => `All nodes of label ‘${label}’ are offline`,
  noNodes: (label: string) => `There are no nodes with the label ‘${label}’`,
  waiting: 'Waiting for next available executor',
  waitingOn: (name: string) => `Waiting for next available executor on ‘${name}’`,
  quietPeriod: (left: string) => `In the quiet period. Expires in ${left}`,
  finishedWaiting: 'Finished waiting',
  shuttingDown: 'Jenkins is about to shut down',
};

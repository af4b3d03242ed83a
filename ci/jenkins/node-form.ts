/** The home of the user in Jenkins' own image. */
const workDirectory = '/home/jenkins/agent';

/**
 * Fills in the form of a new permanent agent, which every version of Jenkins accepts: it connects by WebSocket, has one
 * executor, and takes only jobs that ask for its labels.
 *
 * @param mark notes in its description which start of Jenkins made it
 * @see hudson.model.ComputerSet#doDoCreateItem, hudson.slaves.DumbSlave
 */
export function nodeForm(name: string, labels: readonly string[], mark: string): { json: string } {
  const form = {
    name,
    nodeDescription: `An agent of davit ${mark}`.trim(),
    numExecutors: '1',
    remoteFS: workDirectory,
    labelString: labels.join(' '),
    mode: 'EXCLUSIVE',
    launcher: described('hudson.slaves.JNLPLauncher', { webSocket: true }),
    retentionStrategy: described('hudson.slaves.RetentionStrategy$Always'),
    nodeProperties: { 'stapler-class-bag': 'true' },
    type: 'hudson.slaves.DumbSlave',
  };
  return { json: JSON.stringify(form) };
}

/** Names a part's Java class under both of the keys that versions of Jenkins read. */
function described(className: string, fields: object = {}): object {
  return { 'stapler-class': className, $class: className, ...fields };
}

/** The reasons why an item waits, in one language. */
export interface Words {
  nodeOffline(node: string): string;
  allNodesOffline(label: string): string;
  noNodes(label: string): string;
  waiting: string;
  waitingOn(name: string): string;
  labelMissing(node: string, label: string): string;
  reserved(node: string): string;
  quietPeriod(left: string): string;
  finishedWaiting: string;
  shuttingDown: string;
}

/** @see core/src/main/resources/hudson/model/Messages.properties */
const english: Words = {
  nodeOffline: (node) => `‘${node}’ is offline`,
  allNodesOffline: (label) => `All nodes of label ‘${label}’ are offline`,
  noNodes: (label) => `There are no nodes with the label ‘${label}’`,
  waiting: 'Waiting for next available executor',
  waitingOn: (name) => `Waiting for next available executor on ‘${name}’`,
  labelMissing: (node, label) => `‘${node}’ doesn’t have label ‘${label}’`,
  reserved: (node) => `‘${node}’ is reserved for jobs with matching label expression`,
  quietPeriod: (left) => `In the quiet period. Expires in ${left}`,
  finishedWaiting: 'Finished waiting',
  shuttingDown: 'Jenkins is about to shut down',
};

/** @see core/src/main/resources/hudson/model/Messages_de.properties */
const german: Words = {
  nodeOffline: (node) => `${node} ist offline`,
  allNodesOffline: (label) => `Alle Knoten des Labels „${label}“ sind offline`,
  noNodes: (label) => `Es gibt keine Knoten mit dem Label „${label}“`,
  waiting: 'Warte auf den nächsten freien Build-Prozessor',
  waitingOn: (name) => `Warte auf den nächsten freien Build-Prozessor auf ${name}`,
  labelMissing: (node, label) => `„${node}“ hat nicht das Label „${label}“`,
  reserved: (node) => `„${node}“ ist für Projekte mit passendem Label-Ausdruck reserviert`,
  quietPeriod: (left) => `In Ruhe-Periode. Endet in ${left}`,
  finishedWaiting: 'Finished waiting',
  shuttingDown: 'Jenkins wird heruntergefahren',
};

/** The languages that a fake Jenkins speaks. */
export type Language = 'en' | 'de';

/** The words for a request: in the language that it asks for, or else in the server's own. */
export function wordsFor(acceptLanguage: string | null, own: Language): Words {
  const asked = /^(en|de)\b/.exec(acceptLanguage ?? '')?.[1];
  return (asked ?? own) === 'de' ? german : english;
}

/** The names that a view shows elsewhere, beside every message of a launch. */
const shownElsewhere: ReadonlySet<string> = new Set(['launch', 'cluster', 'namespace', 'service', 'pod']);

/**
 * A message of davit's for people: without the code before it, without the names that a view shows elsewhere, and without
 * the names of the state machine's steps. The scheduler, too, writes its reason before its message:
 * `Unschedulable: 0/1 nodes …`.
 */
export function saidOf(message: string): string {
  return message
    .replace(/^[A-Z][A-Za-z]+: /, '')
    .replace(/ \(((?:launch|cluster) [^()]*)\)$/, (_all, names: string) => ownNames(names, message))
    .replace(/^Unschedulable: /, '')
    .replace(/^[A-Z]\w+ gave up after (\d+) s of \d+ s; /, 'davit gave up after $1 s; ')
    .replace('; at last: ', '; last seen: ')
    .replace('; its token says ', '; its address is ');
}

/** Keeps the node and the image, and the container if the message does not name it. */
function ownNames(names: string, message: string): string {
  const own = names.split(', ').filter((name) => {
    const [kind = ''] = name.split(' ');
    return !shownElsewhere.has(kind) && message.indexOf(name) === message.lastIndexOf(name);
  });
  return own.length === 0 ? '' : ` (${own.join(', ')})`;
}

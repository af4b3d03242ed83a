/** The path of an item of the queue. Its group is the item's id. */
export const itemPath = /^\/queue\/item\/(\d+)\/api\/json$/;

/** The path that builds a job. Its group is the job's name. */
export const buildPath = /^\/job\/([^/]+)\/build$/;

/** All of a node but its `offlineCause`: Hudson cannot export a lost connection. */
const computerTree =
  'displayName,idle,jnlpAgent,launchSupported,numExecutors,offline,temporarilyOffline,oneOffExecutors[idle],' +
  'executors[idle,number,progress,currentExecutable[number,url]]';

/** The path of Hudson for a call of Jenkins; undefined when Hudson has it, too. */
export function translateCall(pathname: string, query: URLSearchParams): string | undefined {
  const [, node = '', call] = /^\/computer\/([^/]+)\/(changeOfflineCause|jenkins-agent\.jnlp)$/.exec(pathname) ?? [];
  const name = decodeURIComponent(node);
  if (call === 'jenkins-agent.jnlp') return `/computer/${node}/slave-agent.jnlp`;
  if (call !== undefined) {
    const offlineMessage = query.get('offlineMessage') ?? '';
    return `/plugin/jenkins-calls/changeOfflineCause?${new URLSearchParams({ name, offlineMessage }).toString()}`;
  }
  const [, job] = buildPath.exec(pathname) ?? [];
  if (job !== undefined) return `/plugin/jenkins-calls/build?job=${job}`;
  if (pathname === '/queue/cancelItem') return `/plugin/jenkins-calls/cancelItem?${query.toString()}`;
  if (pathname === '/computer/doCreateItem') {
    const renamed = new URLSearchParams({ name: query.get('name') ?? '' });
    // Hudson finds a descriptor by the name of its class, Jenkins by that of what it describes.
    const type = query.get('type') ?? '';
    renamed.set('type', type === 'hudson.slaves.DumbSlave' ? `${type}$DescriptorImpl` : type);
    return `${pathname}?${renamed.toString()}`;
  }
  // Not with the caller's `tree`, so that the proxy can add to the answer.
  if (pathname === '/computer/api/json')
    return `${pathname}?tree=busyExecutors,displayName,totalExecutors,computer[${computerTree}]`;
  if (/^\/computer\/[^/]+\/api\/json$/.test(pathname)) return `${pathname}?tree=${computerTree}`;
  const [, id] = itemPath.exec(pathname) ?? [];
  if (id !== undefined) return `/plugin/jenkins-calls/leftItem?id=${id}`;
  return pathname === '/queue/api/json' ? pathname : undefined;
}

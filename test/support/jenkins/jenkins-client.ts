import * as z from 'zod';

/** How a client reaches a Jenkins. */
export interface JenkinsAccess {
  /** Without a trailing slash. */
  url: string;
  userName: string;
  apiToken: string;
}

const QueueItem = z.looseObject({
  id: z.int(),
  why: z.string().nullable(),
  inQueueSince: z.int(),
  task: z.looseObject({ name: z.string(), labelExpression: z.string().nullish() }),
});
export type ListedItem = z.infer<typeof QueueItem>;

const Computer = z.looseObject({
  displayName: z.string(),
  idle: z.boolean(),
  offline: z.boolean(),
  temporarilyOffline: z.boolean(),
  offlineCauseReason: z.string(),
  numExecutors: z.int(),
  assignedLabels: z.array(z.looseObject({ name: z.string() })),
  executors: z.array(z.looseObject({ currentExecutable: z.looseObject({ url: z.string() }).nullish() })),
});
export type ListedComputer = z.infer<typeof Computer>;

const queueTree = 'items[id,why,inQueueSince,task[name,labelExpression]]';
const computerTree =
  'displayName,idle,offline,temporarilyOffline,offlineCauseReason,numExecutors,assignedLabels[name],executors[currentExecutable[url]]';

/** An answer, with redirects not followed. */
export interface JenkinsAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** The requests that davit makes to a Jenkins. It asks in English. */
export interface JenkinsClient {
  request(
    method: string,
    path: string,
    body?: string | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<JenkinsAnswer>;
  listQueue(): Promise<ListedItem[]>;
  listComputers(): Promise<ListedComputer[]>;
  /** @returns undefined for a node that does not exist */
  findComputer(name: string): Promise<ListedComputer | undefined>;
  /** Creates an inbound agent with one executor, for jobs that ask for its labels. */
  createNode(name: string, labels: readonly string[]): Promise<JenkinsAnswer>;
  /** @throws Error unless the server tells it */
  readSecret(name: string): Promise<string>;
  /** Sets a node offline, with a reason. */
  setOffline(name: string, cause: string): Promise<JenkinsAnswer>;
  toggleOffline(name: string, cause: string): Promise<JenkinsAnswer>;
  deleteNode(name: string): Promise<JenkinsAnswer>;
  cancelItem(id: number): Promise<JenkinsAnswer>;
}

/** Makes a client. */
export function createJenkinsClient({ url, userName, apiToken }: JenkinsAccess): JenkinsClient {
  const authorization = `Basic ${Buffer.from(`${userName}:${apiToken}`).toString('base64')}`;
  async function request(
    method: string,
    path: string,
    body?: string | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<JenkinsAnswer> {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization, 'accept-language': 'en', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  async function read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const { status, text } = await request('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return schema.parse(JSON.parse(text));
  }
  const at = (name: string) => `/computer/${encodeURIComponent(name)}`;
  const post = (path: string, form: Record<string, string> = {}) => request('POST', path, new URLSearchParams(form));

  return {
    request,
    listQueue: async () =>
      (await read(`/queue/api/json?tree=${queueTree}`, z.looseObject({ items: z.array(QueueItem) }))).items,
    listComputers: async () => {
      const Computers = z.looseObject({ computer: z.array(Computer) });
      return (await read(`/computer/api/json?tree=computer[${computerTree}]`, Computers)).computer;
    },
    findComputer: async (name) => {
      const { status, text } = await request('GET', `${at(name)}/api/json?tree=${computerTree}`);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`GET ${at(name)}: ${status} ${text}`);
      return Computer.parse(JSON.parse(text));
    },
    createNode: (name, labels) => {
      const query = new URLSearchParams({ name, type: 'hudson.slaves.DumbSlave' });
      const form = new URLSearchParams({ json: JSON.stringify(nodeForm(name, labels)) });
      return request('POST', `/computer/doCreateItem?${query.toString()}`, form);
    },
    readSecret: async (name) => {
      const { status, text } = await request('GET', `${at(name)}/jenkins-agent.jnlp`);
      const secret = /<argument>([0-9a-f]{64})<\/argument>/.exec(text)?.[1];
      if (status !== 200 || secret === undefined) throw new Error(`the secret of ${name}: ${status} ${text}`);
      return secret;
    },
    setOffline: (name, offlineMessage) => post(`${at(name)}/changeOfflineCause`, { offlineMessage }),
    toggleOffline: (name, offlineMessage) => post(`${at(name)}/toggleOffline`, { offlineMessage }),
    deleteNode: (name) => post(`${at(name)}/doDelete`),
    cancelItem: (id) => post('/queue/cancelItem', { id: String(id) }),
  };
}

/** The form of the page on which a person creates a permanent agent. */
function nodeForm(name: string, labels: readonly string[]): unknown {
  return {
    name,
    nodeDescription: 'made by a test of davit',
    numExecutors: '1',
    remoteFS: '/tmp/davit-agent',
    labelString: labels.join(' '),
    mode: 'EXCLUSIVE',
    launcher: { 'stapler-class': 'hudson.slaves.JNLPLauncher', $class: 'hudson.slaves.JNLPLauncher', webSocket: true },
    retentionStrategy: {
      'stapler-class': 'hudson.slaves.RetentionStrategy$Always',
      $class: 'hudson.slaves.RetentionStrategy$Always',
    },
    nodeProperties: { 'stapler-class-bag': 'true' },
  };
}

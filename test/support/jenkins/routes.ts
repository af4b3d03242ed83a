import type { Caller, JenkinsUser } from './access.ts';
import { type Answer, failure, httpError, page, postRequired } from './answers.ts';
import { buildBean, computerBean, computersBean, itemBean, queueBean, type RootUrl } from './beans.ts';
import { type Bean, exportBean } from './exported.ts';
import type { JenkinsState } from './jenkins-state.ts';
import { checkGoodName, nodeOfForm, nodeOfXml } from './node-forms.ts';
import type { JenkinsNode } from './records.ts';

/** A request to the server. */
export interface Asked {
  method: string;
  headers: Headers;
  /** Of the URL, and of a body that is a form. */
  parameters: URLSearchParams;
  body: string;
  /** The groups of the route's pattern. */
  path: string[];
  caller: Caller;
}

/** What the routes need of the server. */
export interface Served {
  state: JenkinsState;
  user: JenkinsUser;
  root: () => RootUrl;
  crumb: string;
  /** The secret of a node's name, the same for ever. */
  secretOf: (name: string) => string;
}

type Route = readonly [pattern: RegExp, handle: (asked: Asked) => Answer];

/** The version that the fake says it is: the oldest LTS that davit supports. */
export const jenkinsVersion = '2.479.1';

/** The requests that davit makes to Jenkins, and those that show a page to a person. */
export function routesOf(served: Served): Route[] {
  return [...apiRoutes(served), ...queueRoutes(served), ...computerRoutes(served), ...jobRoutes(served)];
}

function apiRoutes({ state, user, crumb }: Served): Route[] {
  const root: Bean = {
    className: 'hudson.model.Hudson',
    fields: {
      mode: 'EXCLUSIVE',
      nodeDescription: 'the Jenkins controller’s built-in node',
      nodeName: '',
      useSecurity: true,
    },
  };
  const shown = (): Bean => ({ ...root, fields: { ...root.fields, quietingDown: state.quietingDown } });
  return [
    [/^\/api\/json$/, (asked) => api(state, asked, shown())],
    [
      // hudson.security.WhoAmI
      /^\/whoAmI\/api\/json$/,
      (asked) => {
        const { name } = asked.caller;
        const isKnown = name === user.name;
        const authorities = isKnown ? ['authenticated'] : ['anonymous'];
        const fields = { anonymous: !isKnown, authenticated: true, authorities, name };
        return api(state, asked, { className: 'hudson.security.WhoAmI', fields });
      },
    ],
    [
      // hudson.security.csrf.CrumbIssuer
      /^\/crumbIssuer\/api\/json$/,
      (asked) => {
        const fields = { crumb, crumbRequestField: 'Jenkins-Crumb' };
        return api(state, asked, { className: 'hudson.security.csrf.DefaultCrumbIssuer', fields });
      },
    ],
  ];
}

function queueRoutes({ state, root }: Served): Route[] {
  return [
    [
      /^\/queue\/api\/json$/,
      (asked) => {
        // Queue#getItems leaves out what the caller must not read.
        const items = asked.caller.has('Job/Read') ? state.queue : [];
        return api(state, asked, queueBean(root(), items, state.view()));
      },
    ],
    [
      /^\/queue\/item\/(\d+)\/api\/json$/,
      (asked) => {
        const item = state.items.find(({ id }) => id === Number(asked.path[0]));
        if (item === undefined || !asked.caller.has('Job/Read')) throw httpError(404, 'Not Found');
        return api(state, asked, itemBean(root(), item, state.view()));
      },
    ],
    [
      // hudson.model.Queue#doCancelItem
      /^\/queue\/cancelItem$/,
      (asked) => {
        requirePost(asked, 'hudson.model.Queue.doCancelItem');
        const id = asked.parameters.get('id') ?? '0';
        const item = state.queue.find((each) => String(each.id) === id);
        if (item === undefined || !asked.caller.has('Job/Read')) throw httpError(404, `Provided id (${id}) not found`);
        if (!asked.caller.has('Job/Cancel')) throw httpError(422, `Item for id (${id}) is not cancellable`);
        state.cancel(item);
        return { status: 204 };
      },
    ],
  ];
}

function computerRoutes(served: Served): Route[] {
  const { state, root } = served;
  const nodeIn = ({ path }: Asked): JenkinsNode => {
    const node = state.nodes.get(path[0] ?? '');
    if (node === undefined) throw httpError(404, 'Not Found');
    return node;
  };
  const backTo = (node: JenkinsNode) => redirect(`${root()}computer/${encodeURIComponent(node.name)}/`);
  return [
    [/^\/computer\/api\/json$/, (asked) => api(state, asked, computersBean(root(), state.view()))],
    [/^\/computer\/$/, () => htmlPage('Nodes')],
    // Stapler: the method doDoCreateItem answers `doCreateItem`, and doCreateItem answers `createItem`.
    [/^\/computer\/doCreateItem$/, (asked) => createByForm(served, asked)],
    [/^\/computer\/createItem$/, (asked) => createByXml(served, asked)],
    [/^\/computer\/([^/]+)\/$/, (asked) => htmlPage(`Agent ${nodeIn(asked).name}`)],
    [/^\/computer\/([^/]+)\/api\/json$/, (asked) => api(state, asked, computerBean(root(), nodeIn(asked)))],
    [
      // hudson.slaves.SlaveComputer#doJenkinsAgentJnlp; the older name is kept for compatibility.
      /^\/computer\/([^/]+)\/(?:jenkins|slave)-agent\.jnlp$/,
      (asked) => {
        const node = nodeIn(asked);
        asked.caller.check('Agent/Connect');
        return jnlp(node, served);
      },
    ],
    [
      // hudson.model.Computer#doChangeOfflineCause: it sets.
      /^\/computer\/([^/]+)\/changeOfflineCause$/,
      (asked) => {
        requirePost(asked, 'hudson.model.Computer.doChangeOfflineCause');
        return setOffline(nodeIn(asked), asked);
      },
    ],
    [
      // hudson.model.Computer#doToggleOffline: it turns what it finds.
      /^\/computer\/([^/]+)\/toggleOffline$/,
      (asked) => {
        requirePost(asked, 'hudson.model.Computer.doToggleOffline');
        const node = nodeIn(asked);
        if (node.temporaryOfflineCause === undefined) return setOffline(node, asked);
        asked.caller.check('Agent/Connect');
        state.setTemporaryOfflineCause(node, undefined);
        return backTo(node);
      },
    ],
    [
      // hudson.model.Computer#doDoDelete: it does not ask whether the node is busy.
      /^\/computer\/([^/]+)\/doDelete$/,
      (asked) => {
        requirePost(asked, 'hudson.model.Computer.doDoDelete');
        const node = nodeIn(asked);
        asked.caller.check('Agent/Delete');
        state.removeNode(node);
        return redirect(`${root()}computer/`);
      },
    ],
  ];

  function setOffline(node: JenkinsNode, { caller, parameters }: Asked): Answer {
    caller.check('Agent/Disconnect');
    const message = parameters.get('offlineMessage')?.trim();
    const cause = { userId: caller.name, atEpochMs: Date.now(), ...(message ? { message } : {}) };
    state.setTemporaryOfflineCause(node, cause);
    return backTo(node);
  }
}

/** @see hudson.model.ComputerSet#doDoCreateItem */
function createByForm({ state, root }: Served, { method, parameters, caller }: Asked): Answer {
  // `@POST` hides the method from other verbs.
  if (method !== 'POST') throw httpError(404, 'Not Found');
  caller.check('Agent/Create');
  const name = parameters.get('name')?.trim() ?? '';
  if (name === '') throw failure("Query parameter 'name' is required");
  checkGoodName(name);
  if (state.nodes.has(name)) throw failure(`Agent called ‘${name}’ already exists`);
  const node = nodeOfForm(name, parameters.get('json'));
  // `NodeDescriptor.all().find(type)` is null for an unknown type.
  if (parameters.get('type') !== 'hudson.slaves.DumbSlave') throw httpError(500, 'java.lang.NullPointerException');
  state.addNode(node);
  return redirect(`${root()}computer/`);
}

/** Creation by XML, of 2.5xx and later. @see hudson.model.ComputerSet#doCreateItem */
function createByXml({ state }: Served, asked: Asked): Answer {
  requirePost(asked, 'hudson.model.ComputerSet.doCreateItem');
  asked.caller.check('Agent/Create');
  if (!/^(application|text)\/xml/.test(asked.headers.get('content-type') ?? '')) throw failure('No mode given');
  const node = nodeOfXml(asked.parameters.get('name'), asked.body);
  if (state.nodes.has(node.name)) throw failure(`Node '${node.name}' already exists`);
  checkGoodName(node.name);
  state.addNode(node);
  return { status: 200 };
}

function jobRoutes({ state, root }: Served): Route[] {
  return [
    [/^\/job\/([^/]+)\/$/, (asked) => htmlPage(asked.path[0] ?? '')],
    [
      /^\/job\/([^/]+)\/(\d+)\/api\/json$/,
      (asked) => {
        const [job, number] = asked.path;
        const build = state.builds.find((each) => each.job === job && String(each.number) === number);
        if (build === undefined || !asked.caller.has('Job/Read')) throw httpError(404, 'Not Found');
        return api(state, asked, buildBean(root(), build));
      },
    ],
  ];
}

/** @see hudson/slaves/SlaveComputer/jenkins-agent.jnlp.jelly */
function jnlp({ name, remoteFs, webSocket }: JenkinsNode, { root, secretOf }: Served): Answer {
  const workDir = ['-workDir', remoteFs, '-internalDir', 'remoting'];
  const words = [secretOf(name), name, ...(webSocket ? ['-webSocket'] : []), ...workDir, '-url', root()];
  const list = words.map((word) => `<argument>${word}</argument>`).join('');
  const body = `<jnlp><application-desc>${list}</application-desc></jnlp>`;
  return { status: 200, headers: { 'content-type': 'application/x-java-jnlp-file' }, body };
}

/** @see hudson.model.Api#doJson */
function api(state: JenkinsState, { parameters }: Asked, bean: Bean): Answer {
  const headers = {
    'content-type': 'application/json;charset=utf-8',
    'x-jenkins': jenkinsVersion,
    'x-jenkins-session': state.session,
  };
  try {
    return { status: 200, headers, body: JSON.stringify(exportBean(bean, parameters)) };
  } catch (error) {
    if (error instanceof SyntaxError) throw httpError(500, `java.lang.IllegalArgumentException: ${error.message}`);
    throw error;
  }
}

function requirePost({ method }: Asked, name: string): void {
  if (method !== 'POST') throw postRequired(name);
}

function redirect(location: string): Answer {
  return { status: 302, headers: { location } };
}

function htmlPage(title: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/html;charset=utf-8' }, body: page(title, '') };
}

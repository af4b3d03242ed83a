import { type Answer, failure, httpError } from './answers.ts';
import { computerBean, computersBean } from './computer-beans.ts';
import { checkGoodName, nodeOfForm } from './node-forms.ts';
import type { JenkinsNode } from './records.ts';
import { type Asked, api, htmlPage, type Routes, redirect, requirePost, type Served } from './route.ts';

/** The routes of nodes. */
export function computerRoutes(served: Served): Routes {
  const { state, root } = served;
  const nodeIn = ({ path }: Asked): JenkinsNode => {
    const node = state.nodes.get(path['name'] ?? '');
    if (node === undefined) throw httpError(404, 'Not Found');
    return node;
  };
  const backTo = (node: JenkinsNode) => redirect(`${root()}computer/${encodeURIComponent(node.name)}/`);
  return {
    '/computer/api/json': (asked) => api(served, asked, computersBean(root(), state.view())),
    '/computer/': () => htmlPage('Nodes'),
    '/computer/doCreateItem': (asked) => createByForm(served, asked),
    '/computer/{name}/': (asked) => htmlPage(`Agent ${nodeIn(asked).name}`),
    '/computer/{name}/api/json': (asked) => api(served, asked, computerBean(root(), nodeIn(asked))),
    // hudson.slaves.SlaveComputer#doJenkinsAgentJnlp; the older name is kept for compatibility.
    '/computer/{name}/(?:jenkins|slave)-agent[.]jnlp': (asked) => {
      const node = nodeIn(asked);
      asked.caller.check('Agent/Connect');
      return jnlp(node, served);
    },
    // hudson.model.Computer#doChangeOfflineCause: it sets.
    '/computer/{name}/changeOfflineCause': (asked) => {
      requirePost(asked, 'hudson.model.Computer.doChangeOfflineCause');
      return setOffline(nodeIn(asked), asked);
    },
    // hudson.model.Computer#doToggleOffline: it turns what it finds.
    '/computer/{name}/toggleOffline': (asked) => {
      requirePost(asked, 'hudson.model.Computer.doToggleOffline');
      const node = nodeIn(asked);
      if (node.temporaryOfflineCause === undefined) return setOffline(node, asked);
      asked.caller.check('Agent/Connect');
      state.setTemporaryOfflineCause(node, undefined);
      return backTo(node);
    },
    // hudson.model.Computer#doDoDelete: it does not ask whether the node is busy.
    '/computer/{name}/doDelete': (asked) => {
      requirePost(asked, 'hudson.model.Computer.doDoDelete');
      const node = nodeIn(asked);
      asked.caller.check('Agent/Delete');
      state.removeNode(node);
      return redirect(`${root()}computer/`);
    },
  };

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

/** @see hudson/slaves/SlaveComputer/jenkins-agent.jnlp.jelly */
function jnlp({ name, remoteFs, webSocket }: JenkinsNode, { root, secretOf }: Served): Answer {
  const workDir = ['-workDir', remoteFs, '-internalDir', 'remoting'];
  const words = [secretOf(name), name, ...(webSocket ? ['-webSocket'] : []), ...workDir, '-url', root()];
  const list = words.map((word) => `<argument>${word}</argument>`).join('');
  const body = `<jnlp><application-desc>${list}</application-desc></jnlp>`;
  return { status: 200, headers: { 'content-type': 'application/x-java-jnlp-file' }, body };
}

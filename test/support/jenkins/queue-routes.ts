import { httpError } from './answers.ts';
import { buildBean } from './build-beans.ts';
import { nameIn } from './project-routes.ts';
import { itemBean, queueBean } from './queue-beans.ts';
import { api, htmlPage, type Routes, requirePost, type Served } from './route.ts';

/** The routes of the queue and of what came out of it. */
export function queueRoutes(served: Served): Routes {
  const { state, root } = served;
  return {
    '/queue/api/json': (asked) => {
      // Queue#getItems leaves out what the caller must not read.
      const items = asked.caller.has('Job/Read') ? state.queue : [];
      return api(served, asked, queueBean(root(), items, state.view()));
    },
    '/queue/item/{id}/api/json': (asked) => {
      const item = state.items.find(({ id }) => id === Number(asked.path['id']));
      if (item === undefined || !asked.caller.has('Job/Read')) throw httpError(404, 'Not Found');
      return api(served, asked, itemBean(root(), item, state.view()));
    },
    // hudson.model.Queue#doCancelItem
    '/queue/cancelItem': (asked) => {
      requirePost(asked, 'hudson.model.Queue.doCancelItem');
      const id = asked.parameters.get('id') ?? '0';
      const item = state.queue.find((each) => String(each.id) === id);
      if (item === undefined || !asked.caller.has('Job/Read')) throw httpError(404, `Provided id (${id}) not found`);
      if (!asked.caller.has('Job/Cancel')) throw httpError(422, `Item for id (${id}) is not cancellable`);
      state.cancel(item);
      return { status: 204 };
    },
  };
}

/** The routes of jobs and their builds. */
export function jobRoutes(served: Served): Routes {
  const { state, root } = served;
  return {
    '/job/{name}/': (asked) => htmlPage(asked.path['name'] ?? ''),
    '{*job}/{number}/api/json': (asked) => {
      const { job: path = '', number } = asked.path;
      const job = nameIn(path);
      const build = state.builds.find((each) => each.job === job && String(each.number) === number);
      if (build === undefined || !asked.caller.has('Job/Read')) throw httpError(404, 'Not Found');
      return api(served, asked, buildBean(root(), build));
    },
  };
}

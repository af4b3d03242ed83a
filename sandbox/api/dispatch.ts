import type { PodLogs } from '../pod-logs.ts';
import type { Answer } from './answer.ts';
import type { FaultPlan } from './fault-plan.ts';
import { list } from './list.ts';
import {
  createObject,
  deleteCollection,
  deleteObject,
  getObject,
  type ObjectRequest,
  patchObject,
  updateObject,
} from './object-handlers.ts';
import { podLog } from './pod-log.ts';
import { bindPod, evictPod } from './pod-subresources.ts';
import { watch } from './watch.ts';

/** The dependencies of an answer besides the store. */
export interface DispatchContext extends ObjectRequest {
  logs: PodLogs;
  plan: FaultPlan;
  bookmarkIntervalMs: number;
}

async function subresourceAnswer(context: DispatchContext): Promise<Answer | undefined> {
  const { store, logs, route, query } = context;
  switch (route.subresource) {
    case 'log':
      return podLog(store, logs, route, query);
    case 'binding':
      return bindPod(context);
    case 'eviction':
      return evictPod(context);
    // The other subresources are parts of the object itself.
    case undefined:
    default:
      return undefined;
  }
}

async function verbAnswer(context: DispatchContext): Promise<Answer> {
  const { store, route, query, representation, plan, bookmarkIntervalMs } = context;
  switch (route.verb) {
    case 'get':
      return getObject(context);
    case 'list':
      return list(store, route, query, representation);
    case 'watch':
      return watch(route, query, { store, representation, faults: plan.watch, bookmarkIntervalMs });
    case 'create':
      return createObject(context, { nodePortDelayMs: plan.nodePortDelayMs });
    case 'update':
      return updateObject(context);
    case 'patch':
      return patchObject(context);
    case 'delete':
      return deleteObject(context);
    case 'deletecollection':
      return deleteCollection(context);
    default:
      return route.verb satisfies never;
  }
}

/** Answers a request about objects. @throws StatusError if the API server refuses the request. */
export async function dispatch(context: DispatchContext): Promise<Answer> {
  return (await subresourceAnswer(context)) ?? verbAnswer(context);
}

import type { IncomingMessage } from 'node:http';
import type { KubeObject } from '../cluster-store.ts';
import type { CreateOptions, MemoryStore, UpdateOptions } from '../store/memory-store.ts';
import { notFound, type Status } from '../store/status-error.ts';
import type { JsonAnswer } from './answer.ts';
import { type DeleteRequest, readDeleteRequest } from './delete-options.ts';
import { readDraft, toDraft } from './object-body.ts';
import { patched, readPatch } from './patch.ts';
import { listOf, oneOf, type Representation } from './representation.ts';
import type { ResourceRoute } from './route.ts';
import { querySelector } from './selectors.ts';

/** One request about objects, with the dependencies of its answer. */
export interface ObjectRequest {
  store: MemoryStore;
  route: ResourceRoute;
  query: URLSearchParams;
  request: IncomingMessage;
  representation: Representation;
}

function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

function found({ store, route }: ObjectRequest): KubeObject {
  const { resource, namespace, name = '' } = route;
  const object = store.get(resource.name, namespace, name);
  if (object === undefined) throw notFound(resource.name, name);
  return object;
}

/** Answers with one object. */
export function getObject(context: ObjectRequest): JsonAnswer {
  return { code: 200, body: oneOf(context.representation, found(context)) };
}

/** Creates an object. */
export async function createObject(context: ObjectRequest, options: CreateOptions): Promise<JsonAnswer> {
  const { store, route, query, request, representation } = context;
  const draft = await readDraft(request, route);
  const created = store.create(route.resource.name, draft, { ...options, dryRun: isDryRun(query) });
  return { code: 201, body: oneOf(representation, created) };
}

function updateOptions({ route, query }: ObjectRequest): UpdateOptions {
  return {
    dryRun: isDryRun(query),
    ...(route.subresource === 'status' || route.subresource === 'finalize' ? { subresource: route.subresource } : {}),
  };
}

/** Replaces an object or its status. */
export async function updateObject(context: ObjectRequest): Promise<JsonAnswer> {
  const { store, route, request, representation } = context;
  const draft = await readDraft(request, route);
  const updated = store.update(route.resource.name, draft, updateOptions(context));
  return { code: 200, body: oneOf(representation, updated) };
}

/** Patches an object or its status. A server-side apply creates an object that does not exist. */
export async function patchObject(context: ObjectRequest): Promise<JsonAnswer> {
  const { store, route, query, request, representation } = context;
  const patch = await readPatch(request, query);
  const { resource, namespace, name = '' } = route;
  const present = store.get(resource.name, namespace, name);
  if (present === undefined && patch.ifAbsent !== undefined) {
    const created = store.create(resource.name, toDraft(route, patch.ifAbsent), { dryRun: isDryRun(query) });
    return { code: 201, body: oneOf(representation, created) };
  }
  const draft = toDraft(route, patched(patch, present ?? found(context)));
  return { code: 200, body: oneOf(representation, store.update(resource.name, draft, updateOptions(context))) };
}

/** A delete of these resources answers with the object's last state. A delete of others answers with a Status. */
const answersWithObject: ReadonlySet<string> = new Set(['pods', 'services', 'serviceaccounts']);

function deletionStatus({ resource }: ResourceRoute, { metadata }: KubeObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: metadata.name, kind: resource.name, uid: metadata.uid },
    code: 200,
  };
}

/** Deletes an object, or starts its graceful deletion. */
export async function deleteObject(context: ObjectRequest): Promise<JsonAnswer> {
  const { store, route, query, request, representation } = context;
  const { dryRun, ...options } = await readDeleteRequest(request, query);
  const { resource, namespace, name = '' } = route;
  const deleted = dryRun ? found(context) : store.delete(resource.name, namespace, name, options);
  const isGone = store.get(resource.name, namespace, name) === undefined;
  const body =
    isGone && !answersWithObject.has(resource.name) ? deletionStatus(route, deleted) : oneOf(representation, deleted);
  return { code: 200, body };
}

function deleteAll(store: MemoryStore, route: ResourceRoute, objects: KubeObject[], request: DeleteRequest): void {
  const { dryRun, ...options } = request;
  for (const { metadata } of dryRun ? [] : objects) {
    store.delete(route.resource.name, metadata.namespace, metadata.name, options);
  }
}

/** Deletes every object that the query selects. */
export async function deleteCollection(context: ObjectRequest): Promise<JsonAnswer> {
  const { store, route, query, request, representation } = context;
  const options = await readDeleteRequest(request, query);
  const select = querySelector(route.resource.name, query);
  const objects = store.list(route.resource.name, route.namespace).filter(select);
  deleteAll(store, route, objects, options);
  return { code: 200, body: listOf(representation, objects, { resourceVersion: String(store.changes.revision) }) };
}

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

/** One request about objects, with what is needed to answer it. */
export interface ObjectRequest {
  store: MemoryStore;
  route: ResourceRoute;
  query: URLSearchParams;
  request: IncomingMessage;
  representation: Representation;
}

const isDryRun = (query: URLSearchParams): boolean => query.getAll('dryRun').includes('All');

const found = ({ store, route }: ObjectRequest): KubeObject => {
  const { resource, namespace, name = '' } = route;
  const object = store.get(resource.name, namespace, name);
  if (object === undefined) {
    throw notFound(resource.name, name);
  }
  return object;
};

/** Answers with one object. */
export const getObject = (context: ObjectRequest): JsonAnswer => ({
  code: 200,
  body: oneOf(context.representation, found(context)),
});

/** Creates an object. */
export const createObject = async (context: ObjectRequest, options: CreateOptions): Promise<JsonAnswer> => {
  const { store, route, query, request, representation } = context;
  const draft = await readDraft(request, route);
  const created = store.create(route.resource.name, draft, { ...options, dryRun: isDryRun(query) });
  return { code: 201, body: oneOf(representation, created) };
};

const updateOptions = ({ route, query }: ObjectRequest): UpdateOptions => ({
  dryRun: isDryRun(query),
  ...(route.subresource === 'status' || route.subresource === 'finalize' ? { subresource: route.subresource } : {}),
});

/** Puts an object, or its status, in the place of the present one. */
export const updateObject = async (context: ObjectRequest): Promise<JsonAnswer> => {
  const { store, route, request, representation } = context;
  const draft = await readDraft(request, route);
  const updated = store.update(route.resource.name, draft, updateOptions(context));
  return { code: 200, body: oneOf(representation, updated) };
};

/** Patches an object or its status; a server-side apply creates what is not there. */
export const patchObject = async (context: ObjectRequest): Promise<JsonAnswer> => {
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
};

/** The kinds whose last state is the answer to their deletion; of the others it is a Status. */
const ANSWERS_WITH_OBJECT: ReadonlySet<string> = new Set(['pods', 'services', 'serviceaccounts']);

const deletionStatus = ({ resource }: ResourceRoute, { metadata }: KubeObject): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { name: metadata.name, kind: resource.name, uid: metadata.uid },
  code: 200,
});

/** Deletes an object, or begins to. */
export const deleteObject = async (context: ObjectRequest): Promise<JsonAnswer> => {
  const { store, route, query, request, representation } = context;
  const { dryRun, ...options } = await readDeleteRequest(request, query);
  const { resource, namespace, name = '' } = route;
  const deleted = dryRun ? found(context) : store.delete(resource.name, namespace, name, options);
  const isGone = store.get(resource.name, namespace, name) === undefined;
  const body =
    isGone && !ANSWERS_WITH_OBJECT.has(resource.name) ? deletionStatus(route, deleted) : oneOf(representation, deleted);
  return { code: 200, body };
};

const deleteAll = (store: MemoryStore, route: ResourceRoute, objects: KubeObject[], request: DeleteRequest): void => {
  const { dryRun, ...options } = request;
  for (const { metadata } of dryRun ? [] : objects) {
    store.delete(route.resource.name, metadata.namespace, metadata.name, options);
  }
};

/** Deletes every object that the query selects. */
export const deleteCollection = async (context: ObjectRequest): Promise<JsonAnswer> => {
  const { store, route, query, request, representation } = context;
  const options = await readDeleteRequest(request, query);
  const select = querySelector(route.resource.name, query);
  const objects = store.list(route.resource.name, route.namespace).filter(select);
  deleteAll(store, route, objects, options);
  return {
    code: 200,
    body: listOf(representation, objects, { resourceVersion: String(store.changes.revision) }),
  };
};

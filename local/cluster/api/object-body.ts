import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { KubeDraft } from '../store/draft.ts';
import { badRequest } from '../store/status-error.ts';
import { decode } from '../store/strategy.ts';
import type { JsonObject } from './json.ts';
import { readObject } from './request-body.ts';
import type { ResourceRoute } from './route.ts';

const fieldsSchema = z.record(z.string(), z.unknown());

/** The fields that any object has; metadata, spec and status are objects if they are there. */
const draftSchema = z.looseObject({
  apiVersion: z.string().default('v1'),
  kind: z.string().exactOptional(),
  metadata: z.looseObject({ name: z.string().exactOptional(), namespace: z.string().exactOptional() }).default({}),
  spec: fieldsSchema.exactOptional(),
  status: fieldsSchema.exactOptional(),
});

/**
 * Takes an object that a client sent for the one that its path names.
 *
 * @throws StatusError BadRequest (400) if kind, name or Namespace are others than the path's, or the shape is wrong.
 */
export const toDraft = (route: ResourceRoute, object: JsonObject): KubeDraft => {
  const { kind } = route.resource;
  const draft = decode(draftSchema, object, kind, '');
  const { kind: found = kind, apiVersion } = draft;
  if (apiVersion !== 'v1' || found !== kind) {
    const why =
      apiVersion === 'v1'
        ? `converting (v1.${found}) to (core.${kind}): unknown conversion`
        : `no kind "${found}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:110"`;
    throw badRequest(`${found} in version "${apiVersion}" cannot be handled as a ${kind}: ${why}`);
  }
  const { name = route.name ?? '', namespace = route.namespace } = draft.metadata;
  if (namespace !== route.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (route.name !== undefined && name !== route.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${route.name})`);
  }
  return { ...draft, kind, metadata: { ...draft.metadata, name, ...(namespace === undefined ? {} : { namespace }) } };
};

/** Reads the object that a create or an update sends. */
export const readDraft = async (request: IncomingMessage, route: ResourceRoute): Promise<KubeDraft> =>
  toDraft(route, await readObject(request, route.resource.kind));

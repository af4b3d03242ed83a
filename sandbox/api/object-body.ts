import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { KubeDraft } from '../store/draft.ts';
import { apiVersionOf } from '../store/resources.ts';
import { badRequest } from '../store/status-error.ts';
import { decode } from '../store/strategy.ts';
import type { JsonObject } from './json.ts';
import { readObject } from './request-body.ts';
import type { ResourceRoute } from './route.ts';

const Fields = z.record(z.string(), z.unknown());

/** The fields that every object has. Metadata, spec and status are objects if present. */
const Draft = z.looseObject({
  apiVersion: z.string().exactOptional(),
  kind: z.string().exactOptional(),
  metadata: z.looseObject({ name: z.string().exactOptional(), namespace: z.string().exactOptional() }).default({}),
  spec: Fields.exactOptional(),
  status: Fields.exactOptional(),
});

/**
 * Checks that an object from a client is the one that its path names, and turns it into a draft.
 *
 * @throws StatusError BadRequest (400) if kind, name or Namespace differ from the path, or the shape is wrong.
 */
export function toDraft(route: ResourceRoute, object: JsonObject): KubeDraft {
  const { kind } = route.resource;
  const draft = decode(Draft, object, kind, '');
  const expected = apiVersionOf(route.resource);
  const { kind: found = kind, apiVersion = expected } = draft;
  if (apiVersion !== expected || found !== kind) {
    const why =
      apiVersion === expected
        ? `converting (${expected}.${found}) to (${route.resource.group || 'core'}.${kind}): unknown conversion`
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
  return {
    ...draft,
    apiVersion,
    kind,
    metadata: { ...draft.metadata, name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

/** Reads the object in the body of a create or an update. */
export async function readDraft(request: IncomingMessage, route: ResourceRoute): Promise<KubeDraft> {
  return toDraft(route, await readObject(request, route.resource.kind));
}

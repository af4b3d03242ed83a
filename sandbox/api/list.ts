import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { forbidden } from '../store/field-error.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { objectKey } from '../store/object-table.ts';
import { badRequest, expired, invalidOptions } from '../store/status-error.ts';
import type { JsonAnswer } from './answer.ts';
import { listOf, type Representation } from './representation.ts';
import { queryNumber, queryRevision } from './revision.ts';
import type { ResourceRoute } from './route.ts';
import { querySelector } from './selectors.ts';

const Continue = z.object({ v: z.literal('meta.k8s.io/v1'), rv: z.int(), start: z.string() });

type Continue = z.infer<typeof Continue>;

function writeContinue(token: Continue): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function readContinue(text: string): Continue {
  try {
    return Continue.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch (error) {
    throw badRequest(
      `invalid continue token: continue key is not valid: ${error instanceof SyntaxError ? error.message : 'wrong content'}`,
    );
  }
}

function keyOf({ metadata }: KubeObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

/** Determines a list's first key and its revision. */
function start(store: MemoryStore, query: URLSearchParams): { revision: number; after: string; isExact: boolean } {
  const token = query.get('continue') ?? '';
  const revision = queryRevision(query, store.changes.revision);
  if (query.has('resourceVersionMatch') && revision === undefined) {
    const flaw = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
    throw invalidOptions('ListOptions', [forbidden('resourceVersionMatch', flaw)]);
  }
  if (token !== '') {
    if (revision !== undefined && revision !== 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const { rv, start: after } = readContinue(token);
    return { revision: rv, after, isExact: true };
  }
  const isExact = query.get('resourceVersionMatch') === 'Exact' && revision !== undefined;
  return { revision: isExact ? revision : store.changes.revision, after: '', isExact };
}

function objectsAt(store: MemoryStore, route: ResourceRoute, revision: number, isContinued: boolean): KubeObject[] {
  try {
    return store.listAt(route.resource.name, revision);
  } catch (error) {
    if (isContinued) {
      throw expired(
        'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
      );
    }
    throw error;
  }
}

/**
 * Lists objects, in pages if the query has a limit. All pages show the revision of the first one.
 *
 * @throws StatusError Expired (410) if the store has dropped that revision, BadRequest (400) for a malformed selector.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
export function list(
  store: MemoryStore,
  route: ResourceRoute,
  query: URLSearchParams,
  representation: Representation,
): JsonAnswer {
  const { revision, after, isExact } = start(store, query);
  const select = querySelector(route.resource.name, query);
  const isWanted = (object: KubeObject) => keyOf(object) > after && select(object);
  // The store replaces objects and changes none, so an answer needs no copies: a list may want one of very many.
  const selected = isExact
    ? objectsAt(store, route, revision, after !== '').filter(
        (object) =>
          (route.namespace === undefined || object.metadata.namespace === route.namespace) && isWanted(object),
      )
    : store.objects.list(route.resource.name, route.namespace, isWanted);
  const limit = queryNumber(query, 'limit') ?? 0;
  const page = limit === 0 ? selected : selected.slice(0, limit);
  const last = page.at(-1);
  const remainingItemCount = selected.length - page.length;
  return {
    code: 200,
    body: listOf(representation, page, {
      resourceVersion: String(revision),
      ...(remainingItemCount > 0 && last !== undefined
        ? { continue: writeContinue({ v: 'meta.k8s.io/v1', rv: revision, start: keyOf(last) }), remainingItemCount }
        : {}),
    }),
  };
}

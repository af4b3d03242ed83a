import type * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { type FieldError, forbidden } from './field-error.ts';
import type { NameRule } from './object-name.ts';
import { badRequest } from './status-error.ts';

/** The rules of one kind of object for create and update. */
export interface Strategy {
  nameRule: NameRule;
  /** Prepares a new object for the store: fills in defaults and sets the initial status. */
  prepareForCreate(object: KubeObject): KubeObject;
  /** Prepares an object that replaces `previous`. It keeps the previous status. */
  prepareForUpdate(next: KubeObject, previous: KubeObject): KubeObject;
  /** Checks a prepared object. */
  validate(object: KubeObject): FieldError[];
  /** Checks the change from `previous` to `next`. `validate` checks `next` itself. */
  validateUpdate(next: KubeObject, previous: KubeObject): FieldError[];
}

/**
 * Parses a part of an object that a client sent, by the schema of its kind.
 *
 * @param kind the object's kind, for the message
 * @param path the part's path within the object
 * @throws StatusError BadRequest (400), as from Go's decoder for a wrong type.
 */
export function decode<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: string,
  path: string,
): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  // In Go, a quantity reports its own flaw. The decoder reports those of other types.
  if (issue?.code === 'custom') {
    throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${issue.message}`);
  }
  const field = [kind, path, ...(issue?.path ?? [])]
    .filter((part) => part !== '' && typeof part !== 'number')
    .join('.');
  throw badRequest(
    `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal into Go struct field ${field}: ${issue?.message}`,
  );
}

/** Reports finalizers that a client adds to an object that is being deleted. */
export function finalizerErrors(next: KubeObject, previous: KubeObject): FieldError[] {
  const known = new Set(previous.metadata.finalizers);
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (previous.metadata.deletionTimestamp === undefined || added.length === 0) return [];
  const list = added.map((finalizer) => `"${finalizer}"`).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

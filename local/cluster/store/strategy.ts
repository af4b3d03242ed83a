import type * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { type FieldError, forbidden } from './field-error.ts';
import type { NameRule } from './object-name.ts';
import { badRequest } from './status-error.ts';

/** What is particular to one kind of object when it is created and updated. */
export interface Strategy {
  nameRule: NameRule;
  /** The object as it is stored when new: defaults filled in, and the status that every new one has. */
  prepareForCreate(object: KubeObject): KubeObject;
  /** The object as it is stored in place of `previous`; status is not the caller's to change here. */
  prepareForUpdate(next: KubeObject, previous: KubeObject): KubeObject;
  /** What is wrong with a prepared object. */
  validate(object: KubeObject): FieldError[];
  /** What is wrong with the change from `previous` to `next`, beside what `validate` says of `next`. */
  validateUpdate(next: KubeObject, previous: KubeObject): FieldError[];
}

/**
 * Reads a part of an object that a client sent by the shape that its kind has.
 *
 * @param kind - the object's kind, for the message
 * @param path - where in the object the part is
 * @throws StatusError BadRequest (400), as Go's decoder refuses a wrong type.
 */
export const decode = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: string,
  path: string,
): z.infer<Schema> => {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const issue = result.error.issues[0];
  // Go's quantities say themselves what is wrong with them; of other types the decoder does.
  if (issue?.code === 'custom') {
    throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${issue.message}`);
  }
  const field = [kind, path, ...(issue?.path ?? [])]
    .filter((part) => part !== '' && typeof part !== 'number')
    .join('.');
  throw badRequest(
    `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal into Go struct field ${field}: ${issue?.message}`,
  );
};

/** Says that finalizers were added to an object that is being deleted. */
export const finalizerErrors = (next: KubeObject, previous: KubeObject): FieldError[] => {
  const known = new Set(previous.metadata.finalizers);
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (previous.metadata.deletionTimestamp === undefined || added.length === 0) {
    return [];
  }
  const list = added.map((finalizer) => `"${finalizer}"`).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
};

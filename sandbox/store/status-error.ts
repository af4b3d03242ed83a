import { present } from '../../core/present.ts';
import type { ResourceName } from '../cluster-store.ts';
import type { FieldError } from './field-error.ts';
import { qualifiedName } from './resources.ts';

/** One cause of a Status. */
export interface StatusCause {
  reason?: string;
  message: string;
  field?: string;
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string; resourceVersion?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
  /** The HTTP status code. */
  code: number;
}

/** The API server's refusal, with the Status object that it sends. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  /** @param status the Status that the client receives */
  constructor(status: Status) {
    super(status.message);
    this.status = status;
  }
}

/**
 * Makes the error of a failed request.
 *
 * @param code the HTTP status code
 * @param reason one of Kubernetes' status reasons
 * @param message the text that clients show to people
 * @param details the fields that clients evaluate
 */
export function failure(code: number, reason: string, message: string, details?: Status['details']): StatusError {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;
  return new StatusError({ ...status, message, reason, ...present({ details }), code });
}

/** The object does not exist. */
export function notFound(resource: ResourceName, name: string): StatusError {
  return failure(404, 'NotFound', `${qualifiedName(resource)} "${name}" not found`, { name, kind: resource });
}

/** An object of this name exists already. */
export function alreadyExists(resource: ResourceName, name: string): StatusError {
  return failure(409, 'AlreadyExists', `${qualifiedName(resource)} "${name}" already exists`, { name, kind: resource });
}

/** The object is not in the state that the request expects. */
export function conflict(resource: string, name: string, cause: string): StatusError {
  const message = `Operation cannot be fulfilled on ${resource} "${name}": ${cause}`;
  return failure(409, 'Conflict', message, { name, kind: resource });
}

/** The server understands the request and refuses it. */
export function refused(resource: ResourceName, name: string, cause: string, causes?: StatusCause[]): StatusError {
  const details = present({ name, kind: resource, causes });
  return failure(403, 'Forbidden', `${qualifiedName(resource)} "${name}" is forbidden: ${cause}`, details);
}

/** The object breaks its kind's rules. */
export function invalidObject(kind: string, name: string, errors: readonly FieldError[]): StatusError {
  const sentences = errors.map((error) => `${error.field}: ${error.message}`);
  const all = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  const named = name === '' ? {} : { name };
  return failure(422, 'Invalid', `${kind} "${name}" is invalid: ${all}`, { ...named, kind, causes: [...errors] });
}

/** The request's options, in its query or body, break their rules. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  const group = 'meta.k8s.io';
  const { status } = invalidObject(`${kind}.${group}`, '', errors);
  return new StatusError({ ...status, details: { ...status.details, group, kind } });
}

/** The request is malformed, and the server answers 500: the real server does so for errors that have no type. */
export function untypedError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** The request is malformed. */
export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message);
}

/** The server failed. The client did not cause it. */
export function internalError(message: string): StatusError {
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The server no longer keeps the version from which the client wants to resume. */
export function expired(message: string): StatusError {
  return failure(410, 'Expired', message);
}

import type { ResourceName } from '../cluster-store.ts';
import type { FieldError } from './field-error.ts';

/** One of the causes that a Status lists. */
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

/** The API server's refusal, with the Status object that goes over the wire. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  /** @param status - the Status, as the client gets it */
  constructor(status: Status) {
    super(status.message);
    this.status = status;
  }
}

/**
 * Makes the error of a failed request.
 *
 * @param code - the HTTP status code
 * @param reason - one of Kubernetes' status reasons
 * @param message - what clients show to people
 * @param details - what clients look at
 */
export const failure = (code: number, reason: string, message: string, details?: Status['details']): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  });

/** No such object. */
export const notFound = (resource: ResourceName, name: string): StatusError =>
  failure(404, 'NotFound', `${resource} "${name}" not found`, { name, kind: resource });

/** An object of that name is there. */
export const alreadyExists = (resource: ResourceName, name: string): StatusError =>
  failure(409, 'AlreadyExists', `${resource} "${name}" already exists`, { name, kind: resource });

/** The object is not what the request took it for. */
export const conflict = (resource: string, name: string, cause: string): StatusError =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on ${resource} "${name}": ${cause}`, {
    name,
    kind: resource,
  });

/** The request is understood and refused. */
export const refused = (resource: ResourceName, name: string, cause: string, causes?: StatusCause[]): StatusError =>
  failure(403, 'Forbidden', `${resource} "${name}" is forbidden: ${cause}`, {
    name,
    kind: resource,
    ...(causes === undefined ? {} : { causes }),
  });

/** The object breaks its kind's rules. */
export const invalidObject = (kind: string, name: string, errors: readonly FieldError[]): StatusError => {
  const sentences = errors.map((error) => `${error.field}: ${error.message}`);
  const all = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  const named = name === '' ? {} : { name };
  return failure(422, 'Invalid', `${kind} "${name}" is invalid: ${all}`, { ...named, kind, causes: [...errors] });
};

/** The query or the body that says how something is to be done breaks its rules. */
export const invalidOptions = (kind: string, errors: readonly FieldError[]): StatusError => {
  const group = 'meta.k8s.io';
  const { status } = invalidObject(`${kind}.${group}`, '', errors);
  return new StatusError({ ...status, details: { ...status.details, group, kind } });
};

/** The request makes no sense, and the server fails rather than say so: what it does with errors that have no type. */
export const untypedError = (message: string): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });

/** The request itself makes no sense. */
export const badRequest = (message: string): StatusError => failure(400, 'BadRequest', message);

/** Something went wrong that is not the client's doing. */
export const internalError = (message: string): StatusError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** The version that the client goes on from is no longer kept. */
export const expired = (message: string): StatusError => failure(410, 'Expired', message);

import type { PendingCode, TerminalCode, TransientCode } from './error-codes.ts';

/** An error answer of a Kubernetes API server. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface ApiErrorAnswer {
  httpStatus: number;
  /** `Status.reason`, a word such as `AlreadyExists`. */
  reason?: string;
  /** `Status.message`. */
  message: string;
  retryAfterSeconds?: number;
}

/** The family and the code of an error answer. */
export type ApiErrorVerdict =
  | { family: 'pending'; code: PendingCode }
  | { family: 'transient'; code: TransientCode }
  | { family: 'terminal'; code: TerminalCode };

interface Rule {
  applies: (answer: ApiErrorAnswer) => boolean;
  verdict: ApiErrorVerdict;
}

const says =
  (status: number, text: RegExp) =>
  (answer: ApiErrorAnswer): boolean =>
    answer.httpStatus === status && text.test(answer.message);

const pending = (code: PendingCode): ApiErrorVerdict => ({ family: 'pending', code });
const transient = (code: TransientCode): ApiErrorVerdict => ({ family: 'transient', code });
const terminal = (code: TerminalCode): ApiErrorVerdict => ({ family: 'terminal', code });

/** The first rule that applies decides. The words are those of kube-apiserver, which gives them no reason of their own. */
const rules: readonly Rule[] = [
  // Of serviceIPs it says the same while it starts, and does not know its range yet: that is a fault, and passes.
  { applies: says(500, /failed to allocate a nodePort: range is full/), verdict: pending('NodePortRangeFull') },
  { applies: says(500, /failed calling webhook/), verdict: transient('AdmissionUnavailable') },
  { applies: says(422, /provided port is already allocated/), verdict: terminal('NodePortTaken') },
  { applies: says(403, /exceeded quota/), verdict: pending('QuotaExceeded') },
  { applies: says(403, /failed quota: .*must specify/), verdict: terminal('ResourcesUnspecified') },
  { applies: says(403, /because it is being terminated/), verdict: terminal('NamespaceMissing') },
  { applies: says(404, /^namespaces "/), verdict: terminal('NamespaceMissing') },
  { applies: ({ message }) => /^admission webhook ".*" denied/.test(message), verdict: terminal('AdmissionDenied') },
  // A policy chooses its own status: 422 unless it says otherwise.
  { applies: ({ message }) => /ValidatingAdmissionPolicy '/.test(message), verdict: terminal('AdmissionDenied') },
  // An admission plugin of a server that has just started, and has not read the cluster yet.
  { applies: says(403, /not yet ready to handle request/), verdict: transient('ClusterFault') },
  // Admission plugins (PodSecurity, LimitRanger, ServiceAccount, Priority) name the object; authorizers name the user.
  { applies: says(403, /^\S+ "[^"]*" is forbidden: (?!User )/), verdict: terminal('AdmissionDenied') },
  { applies: ({ httpStatus }) => httpStatus === 401, verdict: terminal('ClusterUnauthorized') },
  { applies: ({ httpStatus }) => httpStatus === 403, verdict: terminal('ClusterForbidden') },
  { applies: ({ httpStatus }) => httpStatus === 408 || httpStatus === 504, verdict: transient('ClusterUnreachable') },
  { applies: ({ httpStatus }) => httpStatus === 409 || httpStatus === 404, verdict: transient('WriteConflict') },
  {
    applies: ({ httpStatus, retryAfterSeconds }) =>
      httpStatus === 429 || (httpStatus >= 500 && retryAfterSeconds !== undefined),
    verdict: transient('ClusterThrottled'),
  },
  { applies: ({ httpStatus }) => httpStatus >= 500, verdict: transient('ClusterFault') },
];

/**
 * Judges an error answer of the API server to a read, a create or a delete. What the callers expect (AlreadyExists to
 * a create, NotFound to a read or a delete, 410 to a watch) does not come here.
 */
export function judgeApiError(answer: ApiErrorAnswer): ApiErrorVerdict {
  return rules.find(({ applies }) => applies(answer))?.verdict ?? terminal('ObjectInvalid');
}

/**
 * Says whether an answer is a conflict inside the server, between two creates that are counted against one quota: the
 * same create, sent again at once, goes through.
 */
export function isQuotaConflict({ httpStatus, message }: ApiErrorAnswer): boolean {
  return httpStatus === 409 && /\bresourcequotas\b/.test(message);
}

/** Says whether the server refuses the user, and not the object: for good, or until it has read who may do what. */
export function isForbiddenUser({ httpStatus, message }: ApiErrorAnswer): boolean {
  return httpStatus === 403 && /\bis forbidden: User /.test(message);
}

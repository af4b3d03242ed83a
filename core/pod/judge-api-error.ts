import type { PendingCode, TerminalCode, TransientCode } from '../errors/error-codes.ts';

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

const detail =
  (status: number, text: RegExp) =>
  (answer: ApiErrorAnswer): boolean =>
    answer.httpStatus === status && text.test(answer.message);

const pending = (code: PendingCode): ApiErrorVerdict => ({ family: 'pending', code });
const transient = (code: TransientCode): ApiErrorVerdict => ({ family: 'transient', code });
const terminal = (code: TerminalCode): ApiErrorVerdict => ({ family: 'terminal', code });

/**
 * The first rule that applies decides. kube-apiserver gives these errors no reason of their own, so the rules match its
 * messages.
 */
const rules: readonly Rule[] = [
  // A starting server that does not know its range yet says the same about serviceIPs: that is a temporary fault.
  { applies: detail(500, /failed to allocate a nodePort: range is full/), verdict: pending('NodePortRangeFull') },
  { applies: detail(500, /failed calling webhook/), verdict: transient('AdmissionUnavailable') },
  { applies: detail(422, /provided port is already allocated/), verdict: terminal('NodePortTaken') },
  { applies: detail(403, /exceeded quota/), verdict: pending('QuotaExceeded') },
  { applies: detail(403, /failed quota: .*must specify/), verdict: terminal('ResourcesUnspecified') },
  { applies: detail(403, /because it is being terminated/), verdict: terminal('NamespaceMissing') },
  { applies: detail(404, /^namespaces "/), verdict: terminal('NamespaceMissing') },
  { applies: ({ message }) => /^admission webhook ".*" denied/.test(message), verdict: terminal('AdmissionDenied') },
  // A ValidatingAdmissionPolicy chooses the status of its refusals: 422 by default.
  { applies: ({ message }) => /ValidatingAdmissionPolicy '/.test(message), verdict: terminal('AdmissionDenied') },
  // An admission plugin says this while a server that has just started reads the cluster.
  { applies: detail(403, /not yet ready to handle request/), verdict: transient('ClusterFault') },
  // Admission plugins (PodSecurity, LimitRanger, ServiceAccount, Priority) name the object; authorizers name the user.
  { applies: detail(403, /^\S+ "[^"]*" is forbidden: (?!User )/), verdict: terminal('AdmissionDenied') },
  { applies: ({ httpStatus }) => httpStatus === 401, verdict: terminal('ClusterUnauthorized') },
  { applies: ({ httpStatus }) => httpStatus === 403, verdict: terminal('ClusterForbidden') },
  { applies: ({ httpStatus }) => httpStatus === 408 || httpStatus === 504, verdict: transient('ClusterUnreachable') },
  // The API server gives each of its 404 a reason, so this one is of a proxy in front of it.
  {
    applies: ({ httpStatus, reason }) => httpStatus === 404 && reason === undefined,
    verdict: transient('ClusterFault'),
  },
  { applies: ({ httpStatus }) => httpStatus === 409 || httpStatus === 404, verdict: transient('WriteConflict') },
  {
    applies: ({ httpStatus, retryAfterSeconds }) =>
      httpStatus === 429 || (httpStatus >= 500 && retryAfterSeconds !== undefined),
    verdict: transient('ClusterThrottled'),
  },
  { applies: ({ httpStatus }) => httpStatus >= 500, verdict: transient('ClusterFault') },
];

/**
 * Judges an error answer of the API server to a read, a create or a delete. Callers handle the answers that they expect
 * themselves: AlreadyExists to a create, NotFound to a read or a delete, 410 to a watch.
 */
export function judgeApiError(answer: ApiErrorAnswer): ApiErrorVerdict {
  return rules.find(({ applies }) => applies(answer))?.verdict ?? terminal('ObjectInvalid');
}

/**
 * Says whether an answer is a conflict inside the server, between two creates that count against one quota: the same
 * create, sent again at once, succeeds.
 */
export function isQuotaConflict({ httpStatus, message }: ApiErrorAnswer): boolean {
  return httpStatus === 409 && /\bresourcequotas\b/.test(message);
}

/** Says whether the server refuses the user and not the object: for ever, or until it has read its RBAC rules. */
export function isForbiddenUser({ httpStatus, message }: ApiErrorAnswer): boolean {
  return httpStatus === 403 && /\bis forbidden: User /.test(message);
}

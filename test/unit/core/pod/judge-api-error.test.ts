import * as fc from 'fast-check';
import {
  type ApiErrorAnswer,
  type ApiErrorVerdict,
  isForbiddenUser,
  isQuotaConflict,
  judgeApiError,
} from '../../../../core/pod/judge-api-error.ts';

interface Row extends ApiErrorAnswer {
  verdict: ApiErrorVerdict;
}

// The messages are a real kube-apiserver's.
const rows: Row[] = [
  {
    httpStatus: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: failed to allocate a nodePort: range is full',
    verdict: { family: 'pending', code: 'NodePortRangeFull' },
  },
  {
    httpStatus: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: failed to allocate a serviceIP: range is full',
    verdict: { family: 'transient', code: 'ClusterFault' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message: 'pods "davit-x" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=10, limited: pods=10',
    verdict: { family: 'pending', code: 'QuotaExceeded' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message:
      'pods "davit-x" is forbidden: unable to create new content in namespace agents because it is being terminated',
    verdict: { family: 'terminal', code: 'NamespaceMissing' },
  },
  {
    httpStatus: 404,
    reason: 'NotFound',
    message: 'namespaces "agents" not found',
    verdict: { family: 'terminal', code: 'NamespaceMissing' },
  },
  {
    httpStatus: 400,
    reason: 'BadRequest',
    message: 'admission webhook "policy.example.com" denied the request: image is not signed',
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message: 'admission webhook "policy.example.com" denied the request without explanation',
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 422,
    reason: 'Invalid',
    message:
      "pods \"davit-x\" is invalid: : ValidatingAdmissionPolicy 'signed' with binding 'agents' denied request: image is not signed",
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message:
      "pods \"davit-x\" is forbidden: ValidatingAdmissionPolicy 'signed' with binding 'agents' denied request: image is not signed",
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message:
      'pods "davit-x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "agent" must set securityContext.allowPrivilegeEscalation=false)',
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message: 'pods "davit-x" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message: 'pods "davit-x" is forbidden: no PriorityClass with name urgent was found',
    verdict: { family: 'terminal', code: 'AdmissionDenied' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message:
      'pods "davit-x" is forbidden: failed quota: agents: must specify limits.cpu for: agent; requests.cpu for: agent',
    verdict: { family: 'terminal', code: 'ResourcesUnspecified' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message:
      'pods "davit-x" is forbidden: User "davit" cannot get resource "pods" in API group "" in the namespace "agents"',
    verdict: { family: 'terminal', code: 'ClusterForbidden' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message: 'pods "davit-x" is forbidden: not yet ready to handle request',
    verdict: { family: 'transient', code: 'ClusterFault' },
  },
  {
    httpStatus: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
    verdict: { family: 'terminal', code: 'ClusterUnauthorized' },
  },
  {
    httpStatus: 403,
    reason: 'Forbidden',
    message: 'pods is forbidden: User "davit" cannot create resource "pods" in API group "" in the namespace "agents"',
    verdict: { family: 'terminal', code: 'ClusterForbidden' },
  },
  {
    httpStatus: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on resourcequotas "agents": the object has been modified; please apply your changes to the latest version and try again',
    verdict: { family: 'transient', code: 'WriteConflict' },
  },
  {
    httpStatus: 404,
    reason: 'NotFound',
    message: 'pods "davit-x" not found',
    verdict: { family: 'transient', code: 'WriteConflict' },
  },
  {
    httpStatus: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.policy.svc:443/": dial tcp 10.96.0.9:443: connect: connection refused',
    verdict: { family: 'transient', code: 'AdmissionUnavailable' },
  },
  {
    httpStatus: 429,
    reason: 'TooManyRequests',
    message: 'too many requests, please try again later',
    retryAfterSeconds: 1,
    verdict: { family: 'transient', code: 'ClusterThrottled' },
  },
  {
    httpStatus: 503,
    reason: 'ServiceUnavailable',
    message: 'apiserver is shutting down',
    retryAfterSeconds: 5,
    verdict: { family: 'transient', code: 'ClusterThrottled' },
  },
  {
    httpStatus: 503,
    reason: 'ServiceUnavailable',
    message: 'storage is (re)initializing',
    verdict: { family: 'transient', code: 'ClusterFault' },
  },
  {
    httpStatus: 504,
    reason: 'Timeout',
    message: 'Timeout: request did not complete within requested timeout',
    verdict: { family: 'transient', code: 'ClusterUnreachable' },
  },
  {
    httpStatus: 408,
    message: 'HTTP 408',
    verdict: { family: 'transient', code: 'ClusterUnreachable' },
  },
  {
    httpStatus: 422,
    reason: 'Invalid',
    message:
      'Service "davit-x" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
    verdict: { family: 'terminal', code: 'NodePortTaken' },
  },
  {
    httpStatus: 422,
    reason: 'Invalid',
    message: 'Pod "davit-x" is invalid: spec.containers[0].image: Required value',
    verdict: { family: 'terminal', code: 'ObjectInvalid' },
  },
  {
    httpStatus: 400,
    reason: 'BadRequest',
    message: 'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field',
    verdict: { family: 'terminal', code: 'ObjectInvalid' },
  },
];

test.each(rows)('$httpStatus "$message" is $verdict.family $verdict.code', ({ verdict, ...answer }) => {
  expect(judgeApiError(answer)).toEqual(verdict);
});

describe('the words of one error inside another decide nothing', () => {
  test.each<ApiErrorAnswer & { code: string }>([
    { httpStatus: 422, message: 'Pod "davit-x" is invalid: why: exceeded quota', code: 'ObjectInvalid' },
    { httpStatus: 400, message: 'why: admission webhook "policy.example.com" denied it', code: 'ObjectInvalid' },
    { httpStatus: 404, message: 'services "davit-x" not found: namespaces "agents"', code: 'WriteConflict' },
    {
      httpStatus: 403,
      message: 'pods is forbidden: User "davit" cannot create it: pods "davit-x" is forbidden: why',
      code: 'ClusterForbidden',
    },
  ])('$httpStatus "$message" is $code', ({ code, ...answer }) => {
    expect(judgeApiError(answer).code).toBe(code);
  });
});

test('a server that names a time to come back is throttling, and a client error is one all the same', () => {
  const codeOf = (httpStatus: number) => judgeApiError({ httpStatus, message: 'no', retryAfterSeconds: 1 }).code;

  expect([codeOf(500), codeOf(599), codeOf(400)]).toEqual(['ClusterThrottled', 'ClusterThrottled', 'ObjectInvalid']);
});

test('an answer of 500 and above with any message is never terminal', () => {
  fc.assert(
    fc.property(fc.integer({ min: 500, max: 599 }), fc.string(), (httpStatus, message) => {
      expect(judgeApiError({ httpStatus, message }).family).not.toBe('terminal');
    }),
  );
});

test('a 4xx answer that matches no rule is terminal: repeating the call would change nothing', () => {
  const named = new Set([401, 403, 404, 408, 409, 429]);
  const unnamed = fc.integer({ min: 400, max: 499 }).filter((httpStatus) => !named.has(httpStatus));
  fc.assert(
    fc.property(unnamed, (httpStatus) => {
      expect(judgeApiError({ httpStatus, message: 'no' })).toEqual({ family: 'terminal', code: 'ObjectInvalid' });
    }),
  );
});

const modified = (what: string) => `Operation cannot be fulfilled on ${what} "agents": the object has been modified`;

test('a conflict is a quota conflict only when it names resourcequotas', () => {
  expect(isQuotaConflict({ httpStatus: 409, message: modified('resourcequotas') })).toBe(true);
  expect(isQuotaConflict({ httpStatus: 409, message: modified('pods') })).toBe(false);
  expect(isQuotaConflict({ httpStatus: 500, message: modified('resourcequotas') })).toBe(false);
});

test('a server refuses the user only when its 403 names the user', () => {
  const ofUser = 'pods is forbidden: User "davit" cannot create resource "pods" in API group ""';
  const ofObject = 'pods "davit-x" is forbidden: violates PodSecurity "restricted:latest"';

  expect(isForbiddenUser({ httpStatus: 403, message: ofUser })).toBe(true);
  expect(isForbiddenUser({ httpStatus: 403, message: ofObject })).toBe(false);
  expect(isForbiddenUser({ httpStatus: 401, message: ofUser })).toBe(false);
});

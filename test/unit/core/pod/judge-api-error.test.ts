import * as fc from 'fast-check';
import {
  type ApiErrorAnswer,
  isForbiddenUser,
  isQuotaConflict,
  judgeApiError,
} from '../../../../core/pod/judge-api-error.ts';
import { present } from '../../../../core/present.ts';

const forbidden = 'pods "davit-x" is forbidden:';
const modified = (what: string) => `Operation cannot be fulfilled on ${what} "agents": the object has been modified`;
const policySays = "ValidatingAdmissionPolicy 'signed' with binding 'agents' denied request: image is not signed";

/** The reason that a kube-apiserver gives with each status. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The answers from which each verdict follows. The messages are a real kube-apiserver's. */
const answers: Record<
  string,
  [httpStatus: number, message: string, others?: { reason?: undefined; retryAfterSeconds?: number }][]
> = {
  'pending NodePortRangeFull': [[500, 'Internal error occurred: failed to allocate a nodePort: range is full']],
  'transient ClusterFault': [
    [404, 'Not Found', { reason: undefined }],
    [500, 'Internal error occurred: failed to allocate a serviceIP: range is full'],
    [403, `${forbidden} not yet ready to handle request`],
    [503, 'storage is (re)initializing'],
  ],
  'pending QuotaExceeded': [
    [403, `${forbidden} exceeded quota: agents, requested: pods=1, used: pods=10, limited: pods=10`],
  ],
  'terminal NamespaceMissing': [
    [403, `${forbidden} unable to create new content in namespace agents because it is being terminated`],
    [404, 'namespaces "agents" not found'],
  ],
  'terminal AdmissionDenied': [
    [400, 'admission webhook "policy.example.com" denied the request: image is not signed'],
    [403, 'admission webhook "policy.example.com" denied the request without explanation'],
    [422, `pods "davit-x" is invalid: : ${policySays}`],
    [403, `${forbidden} ${policySays}`],
    [
      403,
      `${forbidden} violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "agent" must set securityContext.allowPrivilegeEscalation=false)`,
    ],
    [403, `${forbidden} maximum memory usage per Container is 1Gi, but limit is 2Gi`],
    [403, `${forbidden} no PriorityClass with name urgent was found`],
  ],
  'terminal ResourcesUnspecified': [
    [403, `${forbidden} failed quota: agents: must specify limits.cpu for: agent; requests.cpu for: agent`],
  ],
  'terminal ClusterForbidden': [
    [403, `${forbidden} User "davit" cannot get resource "pods" in API group "" in the namespace "agents"`],
    [403, 'pods is forbidden: User "davit" cannot create resource "pods" in API group "" in the namespace "agents"'],
  ],
  'terminal ClusterUnauthorized': [[401, 'Unauthorized']],
  'transient WriteConflict': [
    [409, `${modified('resourcequotas')}; please apply your changes to the latest version and try again`],
    [404, 'pods "davit-x" not found'],
  ],
  'transient AdmissionUnavailable': [
    [
      500,
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.policy.svc:443/": dial tcp 10.96.0.9:443: connect: connection refused',
    ],
  ],
  'transient ClusterThrottled': [
    [429, 'too many requests, please try again later', { retryAfterSeconds: 1 }],
    [503, 'apiserver is shutting down', { retryAfterSeconds: 5 }],
  ],
  'transient ClusterUnreachable': [
    [504, 'Timeout: request did not complete within requested timeout'],
    [408, 'HTTP 408'],
  ],
  'terminal NodePortTaken': [
    [
      422,
      'Service "davit-x" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
    ],
  ],
  'terminal ObjectInvalid': [
    [422, 'Pod "davit-x" is invalid: spec.containers[0].image: Required value'],
    [400, 'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field'],
  ],
};

describe.each(Object.entries(answers))('%s', (verdict, given) => {
  test.each(given)('follows from %i: %s', (httpStatus, message, others = {}) => {
    const [family, code] = verdict.split(' ');
    const answer = present({ httpStatus, reason: reasons[httpStatus], message, ...others });

    expect(judgeApiError(answer)).toEqual({ family, code });
  });
});

describe('the words of one error inside another decide nothing', () => {
  test.each<[code: string, httpStatus: number, message: string, others?: Partial<ApiErrorAnswer>]>([
    ['ObjectInvalid', 422, 'Pod "davit-x" is invalid: why: exceeded quota'],
    ['ObjectInvalid', 400, 'why: admission webhook "policy.example.com" denied it'],
    ['WriteConflict', 404, 'services "davit-x" not found: namespaces "agents"', { reason: 'NotFound' }],
    ['ClusterForbidden', 403, 'pods is forbidden: User "davit" cannot create it: pods "davit-x" is forbidden: why'],
  ])('%s: %d "%s"', (code, httpStatus, message, others) => {
    expect(judgeApiError({ httpStatus, message, ...others }).code).toBe(code);
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

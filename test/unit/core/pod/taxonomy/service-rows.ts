import { agentService } from '../../../../../core/agent/agent-objects.ts';
import type { FaultAnswer } from '../../../../../sandbox/faults.ts';
import type { Row } from './row.ts';
import type { TaxonomyLaunch } from './taxonomy-launch.ts';

const createServices = { verb: 'create', resource: 'services' } as const;
const getServices = { verb: 'get', resource: 'services' } as const;

/** Makes the API server refuse the next creates of a Service. */
function refuse(code: number, reason: string, message: string, count?: number) {
  return (launch: TaxonomyLaunch) => launch.answer(createServices, { code, reason, message }, count);
}

function throttle(code: number, retryAfterSeconds: number, count?: number) {
  const answer: FaultAnswer = { code, reason: 'TooManyRequests', message: 'slow down', retryAfterSeconds };
  return (launch: TaxonomyLaunch) => launch.answer(createServices, answer, count);
}

/** A row for the create of a Service. */
function createRow(first: string, row: Omit<Row, 'step' | 'first'>): Row {
  return { step: 'CreateService', first, ...row };
}

/** Takes every free nodePort, and returns them when the test is over. */
function fillTheRange({ sandbox, plan }: TaxonomyLaunch): void {
  const spec = { type: 'NodePort', ports: [{ port: 80 }] };
  const isFull = () => {
    try {
      sandbox.store.create('services', { metadata: { generateName: 'filler-', namespace: plan.namespace }, spec });
      return false;
    } catch (error) {
      if (error instanceof Error && /range is full/.test(error.message)) return true;
      throw error;
    }
  };
  while (!isFull());
}

function putService({ sandbox, plan }: TaxonomyLaunch, labels: Record<string, string>): void {
  const { metadata, ...manifest } = agentService(plan);
  sandbox.store.create('services', { ...manifest, metadata: { ...metadata, labels } });
}

function deleteService({ sandbox, plan }: TaxonomyLaunch): void {
  sandbox.store.delete('services', plan.namespace, plan.agentName);
}

const quotaSays =
  'services "davit-x" is forbidden: exceeded quota: agents, requested: services.nodeports=1, used: services.nodeports=10, limited: services.nodeports=10';
const conflict =
  'Operation cannot be fulfilled on resourcequotas "agents": the object has been modified; please apply your changes to the latest version and try again';

/** Creating and reading the Service: one or more rows for each row of the taxonomy. */
export const serviceRows: readonly Row[] = [
  { signal: '201 with a nodePort', step: 'PollNodePort', given: () => {}, first: 'done' },
  {
    signal: '201 without a nodePort, for too long',
    step: 'PollNodePort',
    given: async (launch) => {
      deleteService(launch);
      launch.fault(createServices, { kind: 'late-node-ports', delayMs: 3_600_000 }, 1);
      await launch.attempt('CreateService');
    },
    first: 'NodePortPending',
    later: { afterSeconds: 1, code: 'NodePortDeadlineExceeded' },
    detail: /PollNodePort gave up after \d+ s of 60 s; at last: the Service has no nodePort/,
  },
  createRow('NodePortRangeFull', {
    signal: '500 failed to allocate a nodePort: range is full',
    given: fillTheRange,
    later: { afterSeconds: 600, code: 'NodePortRangeDeadlineExceeded' },
    detail: /after 600 s of 600 s; at last: create services .* range is full/,
    notes: 'NodePortRangeFull',
  }),
  createRow('NodePortTaken', {
    signal: '422 provided port is already allocated',
    given: refuse(
      422,
      'Invalid',
      'Service "davit-x" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated',
    ),
    detail: /Invalid value: 30080/,
  }),
  createRow('ObjectInvalid', {
    signal: '422 Invalid, anything else',
    given: refuse(422, 'Invalid', 'Service "davit-x" is invalid: spec.ports[0].port: Invalid value: 0'),
    detail: /spec\.ports\[0\]\.port: Invalid value: 0/,
  }),
  createRow('QuotaExceeded', {
    signal: '403 exceeded quota',
    given: refuse(403, 'Forbidden', quotaSays),
    later: { afterSeconds: 600, code: 'QuotaDeadlineExceeded' },
    detail: /exceeded quota: agents, requested: services\.nodeports=1, used: services\.nodeports=10, limited/,
    notes: 'QuotaExceeded',
  }),
  {
    signal: '403 failed quota: must specify',
    step: 'CreatePod',
    given: (launch) =>
      launch.answer(
        { verb: 'create', resource: 'pods' },
        {
          code: 403,
          reason: 'Forbidden',
          message: 'pods "davit-x" is forbidden: failed quota: agents: must specify limits.memory for: agent',
        },
      ),
    first: 'ResourcesUnspecified',
    detail: /must specify limits\.memory for: agent/,
  },
  createRow('done', { signal: '409 naming resourcequotas, for a moment', given: refuse(409, 'Conflict', conflict, 2) }),
  createRow('WriteConflict', {
    signal: '409 naming resourcequotas, again and again',
    given: refuse(409, 'Conflict', conflict),
    detail: /asked again at once, 3 times/,
  }),
  createRow('done', {
    signal: '409 AlreadyExists, our own earlier write',
    given: (launch) => putService(launch, { 'davit.dev/launch-id': launch.plan.launchId }),
  }),
  createRow('NameCollision', {
    signal: "409 AlreadyExists, another owner's",
    given: (launch) => putService(launch, { team: 'billing' }),
    detail: /is not this launch's: .*"team":"billing"/,
  }),
  createRow('AdmissionDenied', {
    signal: '403 admission webhook "x" denied',
    given: refuse(403, 'Forbidden', 'admission webhook "ports.example" denied the request: no NodePorts here'),
    detail: /admission webhook "ports\.example" denied the request: no NodePorts here/,
  }),
  createRow('AdmissionUnavailable', {
    signal: '500 failed calling webhook',
    given: refuse(
      500,
      'InternalError',
      'Internal error occurred: failed calling webhook "ports.example": failed to call webhook: context deadline exceeded',
    ),
    detail: /failed calling webhook "ports\.example"/,
  }),
  createRow('done', { signal: '401, once', given: refuse(401, 'Unauthorized', 'Unauthorized', 1) }),
  createRow('ClusterUnauthorized', {
    signal: '401, again after a second read of the credentials',
    given: refuse(401, 'Unauthorized', 'Unauthorized'),
    detail: /authenticated by a bearer token/,
  }),
  createRow('ClusterForbidden', {
    signal: '403, anything else',
    given: refuse(
      403,
      'Forbidden',
      'services is forbidden: User "davit" cannot create resource "services" in API group "" in the namespace "davit-agents"',
    ),
    detail: /cannot create resource "services" in API group "" in the namespace "davit-agents"/,
  }),
  createRow('NamespaceMissing', {
    signal: '404 namespaces not found',
    given: refuse(404, 'NotFound', 'namespaces "davit-agents" not found'),
  }),
  createRow('done', { signal: '429 with Retry-After, once', given: throttle(429, 0, 1) }),
  createRow('ClusterThrottled', {
    signal: '429 with a long Retry-After',
    given: throttle(429, 30),
    detail: /HTTP 429: slow down; Retry-After: 30 s/,
  }),
  createRow('ClusterThrottled', {
    signal: '503 with Retry-After, again and again',
    given: throttle(503, 0),
    detail: /HTTP 503: slow down; Retry-After: 0 s; asked again after 0 s, as the server asked/,
  }),
  createRow('ClusterFault', {
    signal: '500 of another kind',
    given: refuse(500, 'InternalError', 'Internal error occurred: etcdserver: leader changed'),
    detail: /etcdserver: leader changed/,
  }),
  createRow('ClusterUnreachable', {
    signal: 'connection reset, for too long',
    given: (launch) => launch.fault(createServices, { kind: 'drop', when: 'before' }),
    later: { afterSeconds: 600, code: 'ServiceDeadlineExceeded' },
    detail:
      /CreateService gave up after 600 s of 600 s; at last: cluster sandbox is away \(Unreachable\): create services at https:/,
    notes: 'ClusterUnreachable',
  }),
  {
    signal: 'no answer to a read',
    step: 'PollNodePort',
    given: (launch) => launch.fault(getServices, { kind: 'hang' }),
    first: 'ClusterUnreachable',
    detail: /get services at https:.*: no answer in time/,
    notes: 'ClusterUnreachable',
  },
  createRow('done', {
    signal: 'no answer to a create that took effect',
    given: (launch) => launch.fault(createServices, { kind: 'drop', when: 'after' }),
  }),
  {
    signal: "no connection for a Pod's create, for too long",
    step: 'CreatePod',
    given: (launch) => launch.fault({ verb: 'create', resource: 'pods' }, { kind: 'drop', when: 'before' }),
    first: 'ClusterUnreachable',
    later: { afterSeconds: 600, code: 'PodDeadlineExceeded' },
    notes: 'ClusterUnreachable',
  },
  {
    signal: 'the Service is gone between steps',
    step: 'PollNodePort',
    given: deleteService,
    first: 'DeletedExternally',
  },
  {
    signal: "the Service's uid has changed",
    step: 'PollNodePort',
    given: (launch) => {
      deleteService(launch);
      putService(launch, { 'davit.dev/launch-id': launch.plan.launchId });
    },
    first: 'DeletedExternally',
  },
];

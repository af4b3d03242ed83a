import type { ApiRequest } from './api-client.ts';

/** A request, and any API server's answer. */
export interface Conversation {
  /** Completes "… is answered": "a second Pod of the same name". */
  what: string;
  /** Relative to the namespace, unless it begins with a slash. @default pods */
  path?: string;
  request: ApiRequest;
  /** `STATUS REASON: message`, or `STATUS Kind` when it is an object; uids are replaced by UID. */
  answer: string;
}

/** A uid that no object has. */
export const anotherUid = '00000000-0000-0000-0000-000000000000';

/** A Pod that waits at a gate, so that no node changes it. */
export function gatedPod(name: string, container: object = {}, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      schedulingGates: [{ name: 'davit.dev/contract' }],
      containers: [{ name: 'agent', image: 'davit.dev/idle:1', ...container }],
      ...spec,
    },
  };
}

/** A NodePort Service. */
export function nodePortService(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...metadata },
    spec: { type: 'NodePort', selector: { app: name }, ports: [{ port: 8811 }], ...spec },
  };
}

function post(body: object | string): ApiRequest {
  return { method: 'POST', body };
}
function remove(body: object): ApiRequest {
  return { method: 'DELETE', body };
}

const label1123 =
  "must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function invalidPod(flaw: string): string {
  return `422 Invalid: Pod "b" is invalid: ${flaw}`;
}
function invalidService(flaw: string): string {
  return `422 Invalid: Service "b" is invalid: ${flaw}`;
}

/** Pods that the API server refuses, with the reason. */
const badPods: [string, object, string][] = [
  ['a Pod without containers', { containers: [] }, 'spec.containers: Required value'],
  ['a container without an image', { containers: [{ name: 'a' }] }, 'spec.containers[0].image: Required value'],
  [
    'an image with leading whitespace',
    { containers: [{ name: 'a', image: ' x' }] },
    'spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace',
  ],
  [
    'two errors at once',
    { containers: [{ name: 'Agent' }] },
    `[spec.containers[0].name: Invalid value: "Agent": a lowercase RFC 1123 label ${label1123}, spec.containers[0].image: Required value]`,
  ],
  [
    'an unknown restart policy',
    { restartPolicy: 'Sometimes' },
    'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    'a deadline of 0',
    { activeDeadlineSeconds: 0 },
    'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  ],
  [
    'an invalid node selector',
    { nodeSelector: { 'a b': 'c' } },
    `spec.nodeSelector: Invalid value: "a b": ${qualified}`,
  ],
  [
    'two volumes of the same name',
    { volumes: [{ name: 'v' }, { name: 'v', emptyDir: {} }] },
    'spec.volumes[1].name: Duplicate value: "v"',
  ],
];

/** Containers that the API server refuses, with the reason. */
const badContainers: [string, object, string][] = [
  [
    'a request above its limit',
    { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  ],
  [
    'a container port of 0',
    { ports: [{ containerPort: 0 }] },
    'spec.containers[0].ports[0].containerPort: Required value',
  ],
  ['a variable without a name', { env: [{ name: '', value: 'x' }] }, 'spec.containers[0].env[0].name: Required value'],
  [
    'a variable whose name contains =',
    { env: [{ name: 'a=b', value: 'x' }] },
    'spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
  ],
];

/** Services that the API server refuses, with the reason. */
const badServices: [string, object, string][] = [
  ['a Service without ports', { ports: [] }, 'spec.ports: Required value'],
  [
    'a port of 0',
    { type: 'ClusterIP', ports: [{ port: 0 }] },
    '[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]',
  ],
  [
    'an unknown type',
    { type: 'Nothing' },
    'spec.type: Unsupported value: "Nothing": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [
    'a nodePort outside the range',
    { ports: [{ port: 80, nodePort: 80 }] },
    'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-30001',
  ],
  [
    'an address outside the range',
    { clusterIP: '1.2.3.4' },
    'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
  ],
  [
    'an invalid address',
    { clusterIP: 'nope' },
    'spec.clusterIPs[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
];

/**
 * Any API server's answers in a namespace with a gated Pod `a` and the Services `s0` and `s1`. The Services hold all
 * node ports, 30000 and 30001.
 */
export const conversations: Conversation[] = [
  ...badPods.map(([what, spec, flaw]) => ({ what, request: post(gatedPod('b', {}, spec)), answer: invalidPod(flaw) })),
  ...badContainers.map(([what, container, flaw]) => ({
    what,
    request: post(gatedPod('b', container)),
    answer: invalidPod(flaw),
  })),
  ...badServices.map(([what, spec, flaw]) => ({
    what,
    path: 'services',
    request: post(nodePortService('b', spec)),
    answer: invalidService(flaw),
  })),
  {
    what: 'a second Pod of the same name',
    request: post(gatedPod('a')),
    answer: '409 AlreadyExists: pods "a" already exists',
  },
  {
    what: 'a second Service of the same name, when no node port is left,',
    path: 'services',
    request: post(nodePortService('s0')),
    answer: '500 InternalError: Internal error occurred: failed to allocate a nodePort: range is full',
  },
  {
    what: 'an invalid Service, when no node port is left,',
    path: 'services',
    request: post(nodePortService('b', { ports: [{ port: 0 }] })),
    answer: '500 InternalError: Internal error occurred: failed to allocate a nodePort: range is full',
  },
  {
    what: 'one Service too many',
    path: 'services',
    request: post(nodePortService('b')),
    answer: '500 InternalError: Internal error occurred: failed to allocate a nodePort: range is full',
  },
  {
    what: 'a node port of another Service',
    path: 'services',
    request: post(nodePortService('b', { ports: [{ port: 80, nodePort: 30000 }] })),
    answer: invalidService('spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated'),
  },
  {
    what: 'a Pod in a namespace that is missing',
    path: '/api/v1/namespaces/missing/pods',
    request: post(gatedPod('b')),
    answer: '404 NotFound: namespaces "missing" not found',
  },
  {
    what: 'a Pod whose service account is missing',
    request: post(gatedPod('b', {}, { serviceAccountName: 'nobody' })),
    answer:
      '403 Forbidden: pods "b" is forbidden: error looking up service account davit-agents/nobody: serviceaccount "nobody" not found',
  },
  {
    what: "a Pod of another namespace than the path's",
    request: post(gatedPod('b', {}, {}, { namespace: 'other' })),
    answer: '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    what: 'a new Pod with a resourceVersion',
    request: post(gatedPod('b', {}, {}, { resourceVersion: '12' })),
    answer: '500: resourceVersion should not be set on objects to be created',
  },
  {
    what: 'a Service at the path of Pods',
    request: post(nodePortService('b')),
    answer:
      '400 BadRequest: Service in version "v1" cannot be handled as a Pod: converting (v1.Service) to (core.Pod): unknown conversion',
  },
  {
    what: 'an invalid quantity',
    request: post(gatedPod('b', { resources: { requests: { cpu: 'two' } } })),
    answer:
      '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
  },
  {
    what: 'half of an object',
    request: post('{"a":'),
    answer:
      '400 BadRequest: the object provided is unrecognized (must be of type Pod): couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"a":)',
  },
  {
    what: 'an empty object',
    request: post({}),
    answer:
      '422 Invalid: Pod "" is invalid: [metadata.name: Required value: name or generateName is required, spec.containers: Required value]',
  },
  {
    what: 'a body of an unknown media type',
    request: { method: 'POST', body: 'a: b', contentType: 'text/plain' },
    answer:
      '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  },
  { what: 'a missing Pod', path: 'pods/none', request: {}, answer: '404 NotFound: pods "none" not found' },
  { what: 'the log of a Pod that has no node', path: 'pods/a/log', request: {}, answer: '204' },
  {
    what: 'an unknown kind',
    path: 'nothings',
    request: {},
    answer: '404 NotFound: the server could not find the requested resource',
  },
  {
    what: 'an update of an older version',
    path: 'pods/a',
    request: { method: 'PUT', body: gatedPod('a', {}, {}, { resourceVersion: '1' }) },
    answer:
      '409 Conflict: Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
  },
  {
    what: 'an update of another object',
    path: 'pods/a',
    request: { method: 'PUT', body: gatedPod('a', {}, {}, { uid: anotherUid }) },
    answer: `409 Conflict: Operation cannot be fulfilled on pods "a": StorageError: invalid object, Code: 4, Key: /registry/pods/davit-agents/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${anotherUid}, UID in object meta: UID`,
  },
  {
    what: 'a patch of an unknown type',
    path: 'pods/a',
    request: { method: 'PATCH', body: {} },
    answer: '415 UnsupportedMediaType: 415: Unsupported Media Type',
  },
  {
    what: "a deletion with another Pod's uid",
    path: 'pods/a',
    request: remove({ preconditions: { uid: anotherUid } }),
    answer: `409 Conflict: Operation cannot be fulfilled on Pod "a": the UID in the precondition (${anotherUid}) does not match the UID in record (UID). The object might have been deleted and then recreated`,
  },
  {
    what: "a deletion with another Service's uid",
    path: 'services/s0',
    request: remove({ preconditions: { uid: anotherUid } }),
    answer: `409 Conflict: Operation cannot be fulfilled on Service "s0": the UID in the precondition (${anotherUid}) does not match the UID in record (UID). The object might have been deleted and then recreated`,
  },
  {
    what: 'a deletion of a missing object',
    path: 'pods/none',
    request: remove({ preconditions: { uid: anotherUid } }),
    answer: '404 NotFound: pods "none" not found',
  },
  {
    what: 'a deletion with an unknown policy',
    path: 'pods/a',
    request: remove({ propagationPolicy: 'Sometimes' }),
    answer:
      '422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sometimes": supported values: "Foreground", "Background", "Orphan", "nil"',
  },
  {
    what: 'an eviction of a missing Pod',
    path: 'pods/none/eviction',
    request: post({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }),
    answer: '404 NotFound: pods "none" not found',
  },
  {
    what: "an eviction of another Pod than the path's",
    path: 'pods/a/eviction',
    request: post({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'b' } }),
    answer: '400 BadRequest: name in URL does not match name in Eviction object',
  },
  {
    what: 'a list with an invalid limit',
    path: 'pods?limit=x',
    request: {},
    answer: '400 BadRequest: strconv.ParseInt: parsing "x": invalid syntax',
  },
  {
    what: 'a list from an invalid version',
    path: 'pods?resourceVersion=x',
    request: {},
    answer:
      '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  },
  {
    what: 'a watch from an invalid version',
    path: 'pods?watch=1&resourceVersion=x',
    request: {},
    answer: '500: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  },
  {
    what: 'a deletion of a namespace that the cluster needs',
    path: '/api/v1/namespaces/default',
    request: { method: 'DELETE' },
    answer: '403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted',
  },
  { what: 'a dry run of a Pod', path: 'pods?dryRun=All', request: post(gatedPod('dry')), answer: '201 Pod' },
  { what: 'a read after the dry run', path: 'pods/dry', request: {}, answer: '404 NotFound: pods "dry" not found' },
];

import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../cluster-store.ts';
import { parseQuantity } from '../node/quantity.ts';
import { duplicate, type FieldError, forbidden, invalid, required, supported } from './field-error.ts';
import { labelErrors } from './metadata.ts';
import { dns1123Label, dns1123Subdomain } from './object-name.ts';
import { type Container, completePodSpec, PodSpec, qosClass } from './pod-spec.ts';
import { decode, finalizerErrors, type Strategy } from './strategy.ts';

function specOf(pod: KubeObject): PodSpec {
  return decode(PodSpec, pod.spec ?? {}, 'Pod', 'spec');
}

function containerErrors(path: string, container: Container): FieldError[] {
  return [
    ...(container.name === ''
      ? [required(`${path}.name`)]
      : dns1123Label(container.name).map((flaw) => invalid(`${path}.name`, container.name, flaw))),
    ...(container.image === ''
      ? [required(`${path}.image`)]
      : container.image === container.image.trim()
        ? []
        : [invalid(`${path}.image`, container.image, 'must not have leading or trailing whitespace')]),
    ...supported(`${path}.imagePullPolicy`, container.imagePullPolicy ?? 'Always', ['Always', 'IfNotPresent', 'Never']),
    ...(container.env ?? []).flatMap(({ name }, index) => variableErrors(`${path}.env[${index}].name`, name)),
    ...(container.ports ?? []).flatMap((port, index) =>
      port.containerPort >= 1 && port.containerPort <= 65_535
        ? supported(`${path}.ports[${index}].protocol`, port.protocol, ['SCTP', 'TCP', 'UDP'])
        : [portError(`${path}.ports[${index}].containerPort`, port.containerPort)],
    ),
    ...limitErrors(`${path}.resources.requests`, container.resources),
  ];
}

function variableErrors(field: string, name: string): FieldError[] {
  const flaw = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return name === '' ? [required(field)] : /^[ -<>-~]+$/.test(name) ? [] : [invalid(field, name, flaw)];
}

function portError(field: string, port: number): FieldError {
  return port === 0 ? required(field) : invalid(field, port, 'must be between 1 and 65535, inclusive');
}

function limitErrors(field: string, { requests = {}, limits = {} }: Container['resources']): FieldError[] {
  return Object.entries(requests).flatMap(([name, request]) => {
    const limit = limits[name];
    return limit === undefined || parseQuantity(request) <= parseQuantity(limit)
      ? []
      : [invalid(field, request, `must be less than or equal to ${name} limit of ${limit}`)];
  });
}

function containersErrors(path: string, containers: readonly Container[]): FieldError[] {
  return containers.flatMap((container, index) => [
    ...containerErrors(`${path}[${index}]`, container),
    ...(container.name !== '' && containers.findIndex(({ name }) => name === container.name) < index
      ? [duplicate(`${path}[${index}].name`, container.name)]
      : []),
  ]);
}

function specErrors(spec: PodSpec): FieldError[] {
  const { activeDeadlineSeconds: seconds = 1 } = spec;
  return [
    ...(spec.containers.length === 0
      ? [required('spec.containers')]
      : containersErrors('spec.containers', spec.containers)),
    ...containersErrors('spec.initContainers', spec.initContainers ?? []),
    ...supported('spec.restartPolicy', spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...supported('spec.dnsPolicy', spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...labelErrors('spec.nodeSelector', spec.nodeSelector),
    ...(spec.volumes ?? []).flatMap(({ name }, index, volumes) =>
      volumes.findIndex((other) => other.name === name) < index ? [duplicate(`spec.volumes[${index}].name`, name)] : [],
    ),
    ...(seconds < 1
      ? [invalid('spec.activeDeadlineSeconds', seconds, 'must be between 1 and 2147483647, inclusive')]
      : []),
  ];
}

const mutableFields =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function immutablePart(spec: PodSpec): unknown {
  return {
    ...spec,
    containers: spec.containers.map((container) => ({ ...container, image: '' })),
    initContainers: (spec.initContainers ?? []).map((container) => ({ ...container, image: '' })),
    activeDeadlineSeconds: 0,
    tolerations: [],
  };
}

/** A Pod with a scheduling gate gets its condition at creation, because the scheduler ignores the Pod. */
function gateConditions({ metadata }: KubeObject, { schedulingGates = [] }: PodSpec): object {
  const message = 'Scheduling is blocked due to non-empty scheduling gates';
  const lastTransitionTime = metadata.creationTimestamp;
  const gated = { type: 'PodScheduled', status: 'False', lastTransitionTime, reason: 'SchedulingGated', message };
  return schedulingGates.length === 0 ? {} : { conditions: [gated] };
}

/** How Pods are created and updated. @see https://kubernetes.io/docs/concepts/workloads/pods/ */
export const podStrategy: Strategy = {
  nameRule: dns1123Subdomain,
  prepareForCreate: (pod) => {
    const spec = completePodSpec(specOf(pod));
    return { ...pod, spec, status: { phase: 'Pending', ...gateConditions(pod, spec), qosClass: qosClass(spec) } };
  },
  prepareForUpdate: (next, previous) => {
    // A client that replaces a Pod from its own template omits the node that the scheduler wrote.
    const nodeName = previous.spec?.['nodeName'];
    const spec = { ...(nodeName === undefined ? {} : { nodeName }), ...completePodSpec(specOf(next)) };
    return { ...next, spec, status: previous.status ?? {} };
  },
  validate: (pod) => specErrors(specOf(pod)),
  validateUpdate: (next, previous) => [
    ...finalizerErrors(next, previous),
    ...(isDeepStrictEqual(immutablePart(specOf(next)), immutablePart(specOf(previous)))
      ? []
      : [forbidden('spec', `pod updates may not change fields other than ${mutableFields}`)]),
  ],
};

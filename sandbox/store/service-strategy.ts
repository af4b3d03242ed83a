import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { duplicate, type FieldError, forbidden, invalid, required, supported } from './field-error.ts';
import { labelErrors } from './metadata.ts';
import { dns1035Label, dns1123Label } from './object-name.ts';
import { decode, finalizerErrors, type Strategy } from './strategy.ts';

const ServicePort = z.looseObject({
  name: z.string().exactOptional(),
  protocol: z.string().default('TCP'),
  port: z.int().default(0),
  targetPort: z.union([z.int(), z.string()]).exactOptional(),
  nodePort: z.int().exactOptional(),
});

/** A Service's port as the API server reads it. */
export type ServicePort = z.infer<typeof ServicePort>;

/** A Service's spec as the API server reads it. */
export const ServiceSpec = z.looseObject({
  type: z.string().default('ClusterIP'),
  selector: z.record(z.string(), z.string()).exactOptional(),
  ports: z.array(ServicePort).default([]),
  clusterIP: z.string().exactOptional(),
  clusterIPs: z.array(z.string()).exactOptional(),
  sessionAffinity: z.string().default('None'),
  externalName: z.string().exactOptional(),
  externalTrafficPolicy: z.string().exactOptional(),
  internalTrafficPolicy: z.string().exactOptional(),
});

/** @see ServiceSpec */
export type ServiceSpec = z.infer<typeof ServiceSpec>;

/** Reads a stored Service's spec. */
export function serviceSpecOf(service: KubeObject): ServiceSpec {
  return decode(ServiceSpec, service.spec ?? {}, 'Service', 'spec');
}

/** Whether a Service of this type listens on the nodes. */
export function hasNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

function completeSpec(spec: ServiceSpec): ServiceSpec {
  return {
    ...spec,
    ports: spec.ports.map((port) => ({ ...port, targetPort: port.targetPort ?? port.port })),
    ...(spec.type === 'ExternalName'
      ? {}
      : {
          internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
        }),
    ...(hasNodePorts(spec) ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster' } : {}),
    ...(spec.type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  };
}

function portErrors(spec: ServiceSpec, port: ServicePort, index: number): FieldError[] {
  const path = `spec.ports[${index}]`;
  const earlier = spec.ports.slice(0, index);
  return [
    ...(port.name === undefined && spec.ports.length > 1 ? [required(`${path}.name`)] : []),
    ...(port.name === undefined ? [] : dns1123Label(port.name).map((flaw) => invalid(`${path}.name`, port.name, flaw))),
    ...(port.name !== undefined && earlier.some(({ name }) => name === port.name)
      ? [duplicate(`${path}.name`, port.name)]
      : []),
    ...(port.port >= 1 && port.port <= 65_535
      ? []
      : [invalid(`${path}.port`, port.port, 'must be between 1 and 65535, inclusive')]),
    ...supported(`${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']),
    ...(typeof port.targetPort === 'number' && (port.targetPort < 1 || port.targetPort > 65_535)
      ? [invalid(`${path}.targetPort`, port.targetPort, 'must be between 1 and 65535, inclusive')]
      : []),
    ...((port.nodePort ?? 0) !== 0 && !hasNodePorts(spec)
      ? [forbidden(`${path}.nodePort`, `may not be used when \`type\` is '${spec.type}'`)]
      : []),
  ];
}

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

function specErrors(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy: policy } = spec;
  return [
    ...(spec.ports.length === 0 && spec.type !== 'ExternalName' && spec.clusterIP !== 'None'
      ? [required('spec.ports')]
      : []),
    ...spec.ports.flatMap((port, index) => portErrors(spec, port, index)),
    ...supported('spec.type', spec.type, types),
    ...(spec.type === 'ExternalName' && spec.externalName === undefined ? [required('spec.externalName')] : []),
    ...supported('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']),
    ...(policy === undefined || hasNodePorts(spec)
      ? []
      : [invalid('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services')]),
    ...(policy === undefined ? [] : supported('spec.externalTrafficPolicy', policy, ['Cluster', 'Local'])),
    ...labelErrors('spec.selector', spec.selector),
  ];
}

/** Keeps what the server chose for `previous` if `next` omits it, as a replace from a template does. */
function withAllocated(next: ServiceSpec, previous: ServiceSpec): ServiceSpec {
  return {
    ...(previous.clusterIP === undefined ? {} : { clusterIP: previous.clusterIP, clusterIPs: [previous.clusterIP] }),
    ...next,
    ports: next.ports.map((port) => {
      const nodePort =
        port.nodePort ??
        previous.ports.find((other) => other.port === port.port && other.protocol === port.protocol)?.nodePort;
      return nodePort === undefined || !hasNodePorts(next) ? port : { ...port, nodePort };
    }),
  };
}

/** How Services are created and updated. @see https://kubernetes.io/docs/concepts/services-networking/service/ */
export const serviceStrategy: Strategy = {
  nameRule: dns1035Label,
  prepareForCreate: (service) => ({
    ...service,
    spec: completeSpec(serviceSpecOf(service)),
    status: { loadBalancer: {} },
  }),
  prepareForUpdate: (next, previous) => ({
    ...next,
    spec: completeSpec(withAllocated(serviceSpecOf(next), serviceSpecOf(previous))),
    status: previous.status ?? {},
  }),
  validate: (service) => specErrors(serviceSpecOf(service)),
  validateUpdate: (next, previous) => {
    const before = serviceSpecOf(previous).clusterIP;
    const after = serviceSpecOf(next).clusterIP;
    return [
      ...finalizerErrors(next, previous),
      ...(before !== undefined && after !== before
        ? [invalid('spec.clusterIPs[0]', [after], 'may not change once set')]
        : []),
    ];
  },
};

import * as z from 'zod';
import type { KubeObject, ResourceName } from '../cluster-store.ts';
import { serviceSpecOf } from '../store/service-strategy.ts';
import { age } from './human-duration.ts';
import { podCells } from './pod-columns.ts';

/** How kubectl shows objects of a resource. */
export interface Columns {
  names: readonly string[];
  /** The names of the columns that kubectl shows only with `-o wide`. */
  wide: readonly string[];
  cells: (object: KubeObject, nowEpochMs: number) => (string | number)[];
}

const none = '<none>';

function shownLabels(labels: Readonly<Record<string, string>> = {}): string {
  return (
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',') || none
  );
}

function serviceCells(service: KubeObject, nowEpochMs: number): string[] {
  const spec = serviceSpecOf(service);
  const ports = spec.ports.map(({ port, nodePort, protocol }) =>
    nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
  );
  const external = { LoadBalancer: '<pending>', ExternalName: spec.externalName }[spec.type] ?? none;
  return [
    service.metadata.name,
    spec.type,
    spec.clusterIP ?? none,
    external,
    ports.join(',') || none,
    age(service.metadata.creationTimestamp, nowEpochMs),
    shownLabels(spec.selector),
  ];
}

const NodeFields = z.looseObject({
  spec: z.looseObject({ unschedulable: z.boolean().default(false) }).default({ unschedulable: false }),
  status: z.looseObject({
    conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]),
    addresses: z.array(z.looseObject({ type: z.string(), address: z.string() })).default([]),
    nodeInfo: z.record(z.string(), z.string()).default({}),
  }),
});

const roleLabel = 'node-role.kubernetes.io/';

function nodeCells(node: KubeObject, nowEpochMs: number): string[] {
  const { spec, status } = NodeFields.parse(node);
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  const readiness = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  const roles = Object.keys(node.metadata.labels ?? {}).flatMap((key) =>
    key.startsWith(roleLabel) ? [key.slice(roleLabel.length)] : [],
  );
  const addressOf = (wanted: string): string => status.addresses.find(({ type }) => type === wanted)?.address ?? none;
  const info = (field: string): string => status.nodeInfo[field] ?? '<unknown>';
  return [
    node.metadata.name,
    spec.unschedulable ? `${readiness},SchedulingDisabled` : readiness,
    roles.sort().join(',') || none,
    age(node.metadata.creationTimestamp, nowEpochMs),
    info('kubeletVersion'),
    addressOf('InternalIP'),
    addressOf('ExternalIP'),
    info('osImage'),
    info('kernelVersion'),
    info('containerRuntimeVersion'),
  ];
}

const EventFields = z.looseObject({
  type: z.string().default(''),
  reason: z.string().default(''),
  message: z.string().default(''),
  count: z.number().default(1),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  involvedObject: z
    .looseObject({ kind: z.string().default(''), name: z.string().default(''), fieldPath: z.string().default('') })
    .default({ kind: '', name: '', fieldPath: '' }),
  source: z
    .looseObject({ component: z.string().default(''), host: z.string().default('') })
    .default({ component: '', host: '' }),
});

function eventCells(object: KubeObject, nowEpochMs: number): (string | number)[] {
  const event = EventFields.parse(object);
  const { kind, name, fieldPath } = event.involvedObject;
  const firstSeen = event.firstTimestamp ?? event.eventTime;
  return [
    age(event.lastTimestamp ?? firstSeen, nowEpochMs),
    event.type,
    event.reason,
    `${kind.toLowerCase()}/${name}`,
    fieldPath,
    [event.source.component, event.source.host].filter((part) => part !== '').join(', '),
    event.message.trim(),
    age(firstSeen, nowEpochMs),
    event.count,
    object.metadata.name,
  ];
}

function ageOf(object: KubeObject, nowEpochMs: number): string {
  return age(object.metadata.creationTimestamp, nowEpochMs);
}

function namespacePhase(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
}

const endpointsSchema = z
  .array(
    z.looseObject({
      addresses: z.array(z.looseObject({ ip: z.string() })).default([]),
      ports: z.array(z.looseObject({ port: z.number() })).default([]),
    }),
  )
  .default([]);

function shownEndpoints(object: KubeObject): string {
  return (
    endpointsSchema
      .parse(object['subsets'])
      .flatMap(({ addresses, ports }) => addresses.flatMap(({ ip }) => ports.map(({ port }) => `${ip}:${port}`)))
      .join(',') || none
  );
}

/** The columns of the resources that show more than name and age, in order. */
const columns: Readonly<Partial<Record<ResourceName, Columns>>> = {
  pods: {
    names: ['Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP', 'Node', 'Nominated Node', 'Readiness Gates'],
    wide: ['IP', 'Node', 'Nominated Node', 'Readiness Gates'],
    cells: podCells,
  },
  services: {
    names: ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector'],
    wide: ['Selector'],
    cells: serviceCells,
  },
  nodes: {
    names: [
      'Name',
      'Status',
      'Roles',
      'Age',
      'Version',
      'Internal-IP',
      'External-IP',
      'OS-Image',
      'Kernel-Version',
      'Container-Runtime',
    ],
    wide: ['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'],
    cells: nodeCells,
  },
  events: {
    names: ['Last Seen', 'Type', 'Reason', 'Object', 'Subobject', 'Source', 'Message', 'First Seen', 'Count', 'Name'],
    wide: ['Subobject', 'Source', 'First Seen', 'Count', 'Name'],
    cells: eventCells,
  },
  namespaces: {
    names: ['Name', 'Status', 'Age'],
    wide: [],
    cells: (object, now) => [object.metadata.name, namespacePhase(object), ageOf(object, now)],
  },
  endpoints: {
    names: ['Name', 'Endpoints', 'Age'],
    wide: [],
    cells: (object, now) => [object.metadata.name, shownEndpoints(object), ageOf(object, now)],
  },
  serviceaccounts: {
    names: ['Name', 'Secrets', 'Age'],
    wide: [],
    cells: (object, now) => [object.metadata.name, 0, ageOf(object, now)],
  },
};

const plainColumns: Columns = {
  names: ['Name', 'Age'],
  wide: [],
  cells: (object, now) => [object.metadata.name, ageOf(object, now)],
};

/** The columns that kubectl shows for a resource. */
export function columnsOf(resource: ResourceName): Columns {
  return columns[resource] ?? plainColumns;
}

import type { Manifest } from '../../core/pod/manifest.ts';

/** The label of every object of the checks. */
export const conformanceLabel = 'davit.dev/conformance';

/** The fields in which a check's Pod differs. */
export interface PodChanges {
  name?: string;
  /** Fields of the Pod's spec. @default a scheduling gate, so that no node gets the Pod */
  spec?: object;
  /** Fields of its only container. */
  container?: object;
  /** The Service that owns the Pod. */
  owner?: { name: string; uid: string };
}

/** The fields in which a check's Service differs. */
export interface ServiceChanges {
  name?: string;
  /** @default one port, whose nodePort the cluster chooses */
  ports?: readonly object[];
}

interface Identity {
  name: string;
  namespace: string;
  label: string;
}

/** The port of the checks' Services. */
export const servicePort = 8811;

/** Keeps a Pod from the scheduler. */
const gated = { schedulingGates: [{ name: conformanceLabel }] };

/** Fields of the spec of a Pod that fits on no node, and that no autoscaler makes a node for. */
export function onNoNode(name: string): object {
  return { nodeSelector: { [conformanceLabel]: name } };
}

const resources = { cpu: '10m', memory: '16Mi' };

/** What even the restricted Pod Security Standard allows. */
const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Makes a Pod with little requests, which even the restricted Pod Security Standard allows. */
export function podManifest({ image, spec = gated, container, owner, ...identity }: PodParts): Manifest {
  const reference = { apiVersion: 'v1', kind: 'Service', controller: false, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadataOf(identity),
      ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, ...owner }] }),
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...spec,
      containers: [
        {
          name: 'check',
          image,
          imagePullPolicy: 'IfNotPresent',
          resources: { requests: resources, limits: resources },
          securityContext: restricted,
          ...container,
        },
      ],
    },
  };
}

interface PodParts extends Identity, Omit<PodChanges, 'name'> {
  image: string;
}

/** Makes a NodePort Service that selects no Pod. */
export function serviceManifest({ ports = [{ port: servicePort }], ...identity }: ServiceParts): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(identity),
    spec: { type: 'NodePort', selector: { [conformanceLabel]: identity.name }, ports },
  };
}

interface ServiceParts extends Identity, Omit<ServiceChanges, 'name'> {}

function metadataOf({ name, namespace, label }: Identity): Manifest['metadata'] {
  return { name, namespace, labels: { [conformanceLabel]: label }, annotations: {} };
}

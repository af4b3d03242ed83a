import { randomUUID } from 'node:crypto';
import { openClusters } from '../../functions/adapters/kubernetes/open-clusters.ts';
import type { Manifest } from '../../functions/domain/manifest.ts';
import type { Cluster } from '../../functions/ports/cluster.ts';
import { byKubeconfig } from '../support/by-kubeconfig.ts';

/** A cluster that a contract is held to, and where in it. */
export interface ClusterUnderTest {
  cluster: Cluster;
  /** It exists, and what is made there is the contract's to delete. */
  namespace: string;
  /** An image whose container runs until it is told to end. */
  image: string;
}

/** Opens the cluster of a kubeconfig's current context with davit's own adapter. */
export async function openKubeconfig(kubeconfig: string): Promise<Cluster> {
  const read = async () => kubeconfig;
  return openClusters(
    [{ name: 'cluster', kubeconfigSecret: 'kubeconfig' }],
    byKubeconfig({ read, refresh: read }),
  )('cluster');
}

/** A name that nothing in the cluster has. */
export function newName(): string {
  return `davit-contract-${randomUUID()}`;
}

/** A NodePort Service that selects no Pod but those of its name. */
export function serviceManifest({ namespace }: ClusterUnderTest, name: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { contract: name }, annotations: {} },
    spec: { type: 'NodePort', selector: { contract: name }, ports: [{ name: 'agent', port: 8811, targetPort: 8811 }] },
  };
}

/** @param ownerUid of the Service of the same name, which owns the Pod */
export function podManifest({ namespace, image }: ClusterUnderTest, name: string, ownerUid?: string): Manifest {
  const owner = { apiVersion: 'v1', kind: 'Service', name, controller: false, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { contract: name },
      annotations: {},
      ...(ownerUid === undefined ? {} : { ownerReferences: [{ ...owner, uid: ownerUid }] }),
    },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [{ name: 'agent', image }] },
  };
}

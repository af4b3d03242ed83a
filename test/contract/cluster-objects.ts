import { randomUUID } from 'node:crypto';
import { openClusters } from '../../adapters/kubernetes/open-clusters.ts';
import { labelKeys } from '../../core/launch/names.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { byKubeconfig } from '../support/by-kubeconfig.ts';

/** A cluster under the contract, and the namespace to use. */
export interface ClusterUnderTest {
  cluster: Cluster;
  /** The namespace exists. The contract deletes what it creates there. */
  namespace: string;
  /** An image whose container runs until SIGTERM. */
  image: string;
}

/** Opens a kubeconfig's current cluster with davit's own adapter. @param watchesTogether as of `openClusters` */
export async function openKubeconfig(kubeconfig: string, watchesTogether?: AbortSignal): Promise<Cluster> {
  const clusters = [{ name: 'cluster', kubeconfigSecret: 'kubeconfig' }];
  const read = async () => kubeconfig;
  return openClusters(clusters, byKubeconfig({ read, refresh: read }), undefined, watchesTogether)('cluster');
}

/** A name that no object in the cluster has. */
export function newName(): string {
  return `davit-contract-${randomUUID()}`;
}

/** A NodePort Service that selects only Pods of its own name. */
export function serviceManifest({ namespace }: ClusterUnderTest, name: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { contract: name, [labelKeys.launchId]: name }, annotations: {} },
    spec: { type: 'NodePort', selector: { contract: name }, ports: [{ name: 'agent', port: 8811, targetPort: 8811 }] },
  };
}

/** @param ownerUid the uid of the Service of the same name, which owns the Pod */
export function podManifest({ namespace, image }: ClusterUnderTest, name: string, ownerUid?: string): Manifest {
  const owner = { apiVersion: 'v1', kind: 'Service', name, controller: false, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { contract: name, [labelKeys.launchId]: name },
      annotations: {},
      ...(ownerUid === undefined ? {} : { ownerReferences: [{ ...owner, uid: ownerUid }] }),
    },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [{ name: 'agent', image }] },
  };
}

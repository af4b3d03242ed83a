import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ApiClient } from '../../contract/api-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { create } from '../cluster/node-objects.ts';

/** The StorageClass of the volume; no provisioner has it. */
export const storageClass = 'block';

/** The directory of this machine that is davit's disk. */
export function volumeOf({ kubeconfigPath }: Cluster): string {
  return join(dirname(kubeconfigPath), 'volume');
}

/** Makes a disk that each node of a cluster can attach, as it could a cloud's block volume. */
export async function createVolume(cluster: Cluster, api: ApiClient): Promise<void> {
  const path = volumeOf(cluster);
  await mkdir(path);
  const anyNode = { key: 'kubernetes.io/hostname', operator: 'In', values: cluster.nodes.map(({ name }) => name) };
  await create(api, '/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'davit-state' },
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: storageClass,
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [anyNode] }] } },
    },
  });
}

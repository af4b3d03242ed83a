import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import type { Manifest } from '../../../../core/pod/manifest.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { type FakeApiServer, kubeconfigOf, startFakeApiServer } from '../../../support/fake-api-server.ts';
import { fixedSecrets } from '../../../support/fixed-secrets.ts';

/** Starts an API server for each test of a file. @returns the one of the present test */
export function serverOfEachTest(): Omit<FakeApiServer, 'stop'> {
  let server: FakeApiServer;
  beforeEach(async () => {
    server = await startFakeApiServer();
  });
  afterEach(() => server.stop());
  return {
    get url() {
      return server.url;
    },
    get requests() {
      return server.requests;
    },
    connections: () => server.connections(),
    answer: (...answers) => server.answer(...answers),
  };
}

/** Waits that take no time. */
export const impatience = { callMs: 10_000, silenceMs: 10_000, pauseMs: 1 };

/** Opens a server's cluster. @param watchesTogether as of `openClusters` */
export async function clusterAt(
  url: string,
  patience: Partial<typeof impatience> = {},
  watchesTogether?: AbortSignal,
): Promise<Cluster> {
  const clusters = [{ name: 'test', kubeconfigSecret: 'kubeconfig' }];
  const sourceOf = byKubeconfig(fixedSecrets(kubeconfigOf(url)));
  return await openClusters(clusters, sourceOf, { ...impatience, ...patience }, watchesTogether)('test');
}

/** A Pod as an API server sends it, with many fields that davit ignores. */
export function podJson(resourceVersion: string, status: object = { phase: 'Pending' }) {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'davit-x',
      namespace: 'agents',
      uid: 'pod-uid-1',
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [],
    },
    spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }], nodeName: 'node-1' },
    status,
  };
}

/** A Pod's manifest. */
export const podManifest: Manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'davit-x', namespace: 'agents', labels: { team: 'build' }, annotations: {} },
  spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] },
};

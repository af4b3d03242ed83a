import { ApiException } from '@kubernetes/client-node';
import { PendingError, TerminalError } from '../../core/errors/errors.ts';
import * as z from '../../core/zod.ts';
import type { ClusterHealth } from '../../ports/cluster.ts';
import { type ClusterLink, callCluster } from './call-cluster.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { sendAsItIs } from './wire-object.ts';

const Version = z.object({ gitVersion: z.string().check(z.maxLength(64)) });

/** Refusals of the Pod itself, by a policy that requires more of a Pod. The API server has done its work. */
const aboutThePod: ReadonlySet<string> = new Set(['AdmissionDenied', 'ObjectInvalid', 'ResourcesUnspecified']);

/** Makes the port that asks a cluster whether it is healthy. */
export function clusterHealth(link: ClusterLink): ClusterHealth {
  function call<Result>(verb: string, namespace: string, make: (connection: ClusterConnection) => Promise<Result>) {
    return callCluster(link, { verb, resource: 'pods', subject: { namespace } }, make);
  }

  async function look(namespace: string): Promise<string> {
    const list = await call('list', namespace, ({ core }) => core.listNamespacedPod({ namespace, limit: 1 }));
    return list.metadata?.resourceVersion ?? '0';
  }

  async function watch(namespace: string, resourceVersion: string): Promise<void> {
    const opened = new AbortController();
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const query = { watch: 'true', resourceVersion, timeoutSeconds: '1' };
    await call('watch', namespace, ({ stream, patience }) =>
      stream(path, query, AbortSignal.any([opened.signal, AbortSignal.timeout(patience.callMs)])),
    );
    opened.abort();
  }

  async function create(namespace: string): Promise<void> {
    try {
      await call('create', namespace, ({ core }) =>
        core.createNamespacedPod({ namespace, body: {}, dryRun: 'All' }, sendAsItIs(podIn(namespace))),
      );
    } catch (error) {
      const isAnswer = error instanceof PendingError || (error instanceof TerminalError && aboutThePod.has(error.code));
      if (!isAnswer) throw error;
    }
  }

  async function readVersion(): Promise<string | undefined> {
    try {
      return Version.safeParse(JSON.parse(await link.connection().readText('/version'))).data?.gitVersion;
    } catch (error) {
      // Some clusters do not show their version.
      if (error instanceof ApiException || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  return {
    look,
    prove: async (namespace, resourceVersion) => {
      await watch(namespace, resourceVersion);
      await create(namespace);
      const version = await callCluster(link, { verb: 'get', resource: 'version', subject: {} }, readVersion);
      return version === undefined ? {} : { version };
    },
  };
}

/** A Pod that even the restricted Pod Security Standard allows. davit never creates it. */
function podIn(namespace: string): object {
  const securityContext = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'davit-probe-', namespace },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [{ name: 'probe', image: 'davit.dev/probe', securityContext }],
    },
  };
}

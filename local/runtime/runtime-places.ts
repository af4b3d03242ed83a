import * as z from 'zod';
import type { NamedContext } from './arguments.ts';
import type { LocalCluster } from './start-cluster.ts';
import type { Runtime } from './start-runtime.ts';

/** The file in the state directory with the addresses of a running runtime. The runtime deletes it when it stops. */
export const runtimeFile = 'runtime.json';

/** The addresses of a running runtime, for programs of the same user. Contains no secret. */
export const RuntimePlaces = z.object({
  /** The HTTP API's. */
  url: z.url(),
  publicUrl: z.url(),
  /** The protocol of Lambda, for sweeps by hand. */
  lambdaUrl: z.url(),
  secretsManagerUrl: z.url(),
  kubeconfigPath: z.string(),
  isSandbox: z.boolean(),
  /** The context of a cluster of davit.yaml that is not reached by the kubeconfig's current one. */
  contexts: z.record(z.string(), z.string()),
});
export type RuntimePlaces = z.infer<typeof RuntimePlaces>;

/** Collects them. */
export function runtimePlaces(
  { url, publicUrl, services }: Runtime,
  cluster: LocalCluster,
  contexts: readonly NamedContext[],
): RuntimePlaces {
  const { lambdaUrl, secretsManagerUrl } = services;
  const { kubeconfigPath } = cluster;
  return {
    url,
    publicUrl,
    lambdaUrl,
    secretsManagerUrl,
    kubeconfigPath,
    isSandbox: 'sandbox' in cluster,
    contexts: Object.fromEntries(contexts.map(({ name, context }) => [name, context])),
  };
}

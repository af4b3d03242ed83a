import * as z from 'zod';
import type { NamedContext } from './arguments.ts';
import type { LocalCluster } from './start-cluster.ts';
import type { Runtime } from './start-runtime.ts';

/** The file in the state directory with the addresses of a running runtime. The runtime deletes it when it stops. */
export const runtimeFile = 'runtime.json';

/** The addresses of a running runtime, for programs of the same user. Contains no secret. */
export const RuntimePlaces = z.object({
  /** The URL of the HTTP API. */
  url: z.url(),
  publicUrl: z.url(),
  kubeconfigPath: z.string(),
  isSandbox: z.boolean(),
  /** The contexts of those clusters of davit.yaml that do not use the kubeconfig's current context. */
  contexts: z.record(z.string(), z.string()),
});
export type RuntimePlaces = z.infer<typeof RuntimePlaces>;

/** Collects the addresses of a runtime. */
export function runtimePlaces(
  { url, publicUrl }: Runtime,
  cluster: LocalCluster,
  contexts: readonly NamedContext[],
): RuntimePlaces {
  const { kubeconfigPath } = cluster;
  return {
    url,
    publicUrl,
    kubeconfigPath,
    isSandbox: 'sandbox' in cluster,
    contexts: Object.fromEntries(contexts.map(({ name, context }) => [name, context])),
  };
}

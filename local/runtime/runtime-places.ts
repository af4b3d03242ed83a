import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  /** The secrets with the kubeconfigs of those clusters that davit reaches by neither. */
  kubeconfigSecrets: z.record(z.string(), z.string()),
});
export type RuntimePlaces = z.infer<typeof RuntimePlaces>;

/** How a runtime reaches its clusters. */
export interface ClusterPlaces {
  cluster: LocalCluster;
  contexts: readonly NamedContext[];
  kubeconfigSecrets: Readonly<Record<string, string>>;
}

/** Collects the addresses of a runtime. */
function runtimePlaces(
  { url, publicUrl }: Runtime,
  { cluster, contexts, kubeconfigSecrets }: ClusterPlaces,
): RuntimePlaces {
  const { kubeconfigPath } = cluster;
  return {
    url,
    publicUrl,
    kubeconfigPath,
    isSandbox: 'sandbox' in cluster,
    contexts: Object.fromEntries(contexts.map(({ name, context }) => [name, context])),
    kubeconfigSecrets,
  };
}

/**
 * Lets the commands of the same user find a runtime by its state directory: writes its addresses and its token.
 *
 * @returns a function that removes the addresses again
 */
export async function showPlaces(
  runtime: Runtime,
  clusters: ClusterPlaces,
  stateDirectory: string,
): Promise<() => Promise<void>> {
  const path = join(stateDirectory, runtimeFile);
  await writeFile(join(stateDirectory, 'launches-token'), runtime.launchesToken, ownerOnly);
  await writeFile(path, JSON.stringify(runtimePlaces(runtime, clusters)), ownerOnly);
  return () => rm(path, { force: true });
}

const ownerOnly = { mode: 0o600 };

import { parse, stringify } from 'yaml';
import * as z from 'zod';

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.looseObject({}) })]),
  users: z.tuple([z.object({ user: z.looseObject({}) })]),
});

/** The name of a cluster's context in a merged kubeconfig. */
export const contextOf = (name: string): string => `context-${name}`;

/**
 * Merges kubeconfigs of one cluster each into one, without a current context. Contexts are named after the clusters.
 */
export function mergedKubeconfig(kubeconfigs: Readonly<Record<string, string>>): string {
  const entries = Object.entries(kubeconfigs).map(([name, kubeconfig]) => {
    const { clusters, users } = Kubeconfig.parse(parse(kubeconfig));
    return { name, cluster: clusters[0].cluster, user: users[0].user };
  });
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: entries.map(({ name, cluster }) => ({ name, cluster })),
    users: entries.map(({ name, user }) => ({ name, user })),
    contexts: entries.map(({ name }) => ({ name: contextOf(name), context: { cluster: name, user: name } })),
  });
}

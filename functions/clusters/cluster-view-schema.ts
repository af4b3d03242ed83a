import { ClusterReason, Connected } from '../../core/cluster/connection.ts';
import * as z from '../../core/zod.ts';

const moment = z.iso.datetime();
const count = z.int().check(z.gte(0));

const ChangeView = z.object({
  namespace: z.described(z.optional(z.string()), 'Absent for a change of the cluster itself'),
  connected: Connected,
  reason: z.optional(ClusterReason),
  error: z.optional(z.string()),
  at: moment,
});

const connection = {
  connected: z.described(Connected, '`unknown`: no report for five minutes'),
  since: z.optional(moment),
  reason: z.described(z.optional(ClusterReason), 'The kind of trouble that calls meet'),
  error: z.described(z.optional(z.string()), 'The words of the last failure'),
  attempts: z.described(z.optional(count), 'The failures in a row'),
  nextAttemptAt: z.optional(moment),
  lastSuccessAt: z.optional(moment),
};

/** A namespace of a cluster, in which profiles launch. */
export const NamespaceView = z.object({ name: z.string(), ...connection });
export type NamespaceView = z.infer<typeof NamespaceView>;

/** A cluster in a list. */
export const ClusterSummary = z.object({
  name: z.string(),
  ...connection,
  namespaces: z.described(
    z.array(NamespaceView),
    'Whether launches work in each namespace that profiles use here, while the cluster is connected',
  ),
  version: z.described(z.optional(z.string()), 'The version of Kubernetes'),
  launches: z.described(
    z.object({ launching: count, connected: count, cleaning: count }),
    'Under way, with a connected agent, and over with objects that davit still has to remove here',
  ),
  removed: z.optional(
    z.described(
      z.object({
        left: z.described(count, 'The launches that ended since then: each may have left a Service and a Pod'),
        commands: z.described(z.array(z.string()), 'The commands that remove those objects, one for each namespace'),
      }),
      'davit.yaml no longer has this cluster, but launches have used it: davit cannot look there',
    ),
  ),
});
export type ClusterSummary = z.infer<typeof ClusterSummary>;

/** The view of a cluster. Omits fields without a value. */
export const ClusterView = z.extend(ClusterSummary, {
  history: z.described(
    z.array(ChangeView),
    'The last 20 changes of `connected`, of the cluster and of its namespaces, newest first',
  ),
});
export type ClusterView = z.infer<typeof ClusterView>;

/** The clusters of davit.yaml, and those that it no longer has and that may have davit's objects. */
export const ClusterList = z.object({ clusters: z.array(ClusterSummary) });
export type ClusterList = z.infer<typeof ClusterList>;

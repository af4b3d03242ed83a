import { ClusterReason } from '../cluster/connection.ts';
import * as z from '../zod.ts';

/** The EventBridge source of cluster events. */
export const clusterSource = 'davit.cluster';

const about = {
  id: z.described(
    z.string(),
    'The same however often the event is sent: cluster, namespace, type and moment, with slashes between',
  ),
  cluster: z.string().check(z.minLength(1), z.describe("The cluster's name in davit.yaml")),
  at: z.described(z.iso.datetime(), 'When this state began: ISO 8601, UTC'),
};

const aboutNamespace = {
  ...about,
  namespace: z.string().check(z.minLength(1), z.describe('The namespace in which profiles launch')),
};

const why = {
  reason: z.described(z.optional(ClusterReason), 'The kind of trouble'),
  error: z.described(z.optional(z.string()), 'The words of the last failure'),
};

/** The details of each event of a cluster, by its type. */
export const clusterDetails = {
  ClusterDisconnected: z.described(
    z.strictObject({ ...about, ...why }),
    'Several calls in a row have failed: this cluster does not answer davit. Its launches wait.',
  ),
  ClusterConnected: z.described(
    z.strictObject(about),
    'The API server of this cluster answers davit. Each namespace there has events of its own.',
  ),
  NamespaceDisconnected: z.described(
    z.strictObject({ ...aboutNamespace, ...why }),
    'The cluster answers, and several creates in a row have failed in this namespace, in which profiles launch. Their ' +
      'launches wait, or go to another cluster.',
  ),
  NamespaceConnected: z.described(
    z.strictObject(aboutNamespace),
    'Launches work in this namespace again: a create in dry-run, a list and a watch have succeeded there.',
  ),
} as const;

/** An event of a cluster. */
export type ClusterEvent = {
  [Type in keyof typeof clusterDetails]: { type: Type; detail: z.infer<(typeof clusterDetails)[Type]> };
}[keyof typeof clusterDetails];

import * as z from '../zod.ts';
import { ClusterReason } from './cluster-state.ts';

/** The EventBridge source of cluster events. */
export const clusterSource = 'davit.cluster';

const about = {
  id: z
    .string()
    .check(z.describe('The same however often the event is sent: cluster, type and moment, with slashes between')),
  cluster: z.string().check(z.minLength(1), z.describe("The cluster's name in davit.yaml")),
  at: z.iso.datetime().check(z.describe('When this state began: ISO 8601, UTC')),
};

/** The details of each event of a cluster, by its type. */
export const clusterDetails = {
  ClusterDisconnected: z
    .strictObject({
      ...about,
      reason: z.optional(ClusterReason).check(z.describe('The kind of trouble')),
      error: z.optional(z.string()).check(z.describe('The words of the last failure')),
    })
    .check(
      z.describe(
        'Several calls in a row have failed: calls that launches need do not work in this cluster. Its launches wait.',
      ),
    ),
  ClusterConnected: z
    .strictObject(about)
    .check(z.describe('The calls that launches need work in this cluster: a create in dry-run, a list and a watch.')),
} as const;

/** An event of a cluster. */
export type ClusterEvent = {
  [Type in keyof typeof clusterDetails]: { type: Type; detail: z.infer<(typeof clusterDetails)[Type]> };
}[keyof typeof clusterDetails];

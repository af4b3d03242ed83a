import type { ClusterSummary } from '../../functions/clusters/cluster-view-schema.ts';
import { type Finding, problem, warning } from './finding.ts';

/** A cluster as a running davit knows it. */
export type KnownCluster = ClusterSummary;

/** The part of davit.yaml that is checked. */
interface NamedClusters {
  clusters: readonly { name: string }[];
}

/**
 * Checks the clusters that launches use and that davit.yaml does not have: davit could not remove the launches' objects
 * there.
 */
export function checkRemoved({ clusters }: NamedClusters, known: readonly KnownCluster[]): Finding[] {
  const names = new Set(clusters.map(({ name }) => name));
  return known.filter(({ name }) => !names.has(name)).flatMap((cluster) => [...inUse(cluster), ...leftIn(cluster)]);
}

function inUse({ name, launches: { launching, connected, cleaning } }: KnownCluster): Finding[] {
  const all = launching + connected + cleaning;
  if (all === 0) return [];
  const what = `davit.yaml does not have it, and ${all} launches use it: ${launching} launching, ${connected} connected, ${cleaning} cleaning`;
  const why = 'davit could neither finish these launches nor remove their objects.';
  const fix = 'keep it in clusters, take it out of the profiles, and wait until davit clusters shows no launch of it';
  return [problem(`cluster ${name}`, what, why, fix)];
}

function leftIn({ name, removed }: KnownCluster): Finding[] {
  if (removed === undefined || removed.left === 0) return [];
  const what = `${removed.left} launches ended after davit.yaml had dropped it, and may have left a Service and a Pod each`;
  const why = 'davit cannot look there. Pods go on running, and node ports stay in use.';
  const fix = `put it back into clusters, and the sweep removes them; or ${removed.commands.join('; ')}`;
  return [warning(`cluster ${name}`, what, why, fix)];
}

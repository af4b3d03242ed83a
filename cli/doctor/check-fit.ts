import type { CoreV1Api, V1Node } from '@kubernetes/client-node';
import type { Profile } from '../../core/config/config.ts';
import { nanoQuantity } from '../../core/pod/nano-quantity.ts';
import * as z from '../../core/zod.ts';
import { inTime, refused } from './ask-cluster.ts';
import { type Finding, warning } from './finding.ts';

const Quantities = z.optional(z.record(z.string(), z.coerce.string()));
const Container = z.looseObject({ resources: z.optional(z.looseObject({ requests: Quantities, limits: Quantities })) });
const Spec = z.looseObject({
  containers: z.array(Container),
  nodeSelector: z.optional(z.record(z.string(), z.string())),
});

/**
 * Compares what a profile's Pod asks for with the cluster's nodes: a dry run does not. An autoscaler may add larger nodes,
 * so this is a warning.
 *
 * @returns nothing when a node is large enough, or the caller may not list nodes
 */
export async function checkFit(core: Pick<CoreV1Api, 'listNode'>, about: string, profile: Profile): Promise<Finding[]> {
  const spec = Spec.parse(profile.template.spec);
  const nodes = (await inTime(core.listNode()).catch(refused))?.items.filter((node) =>
    hasLabels(node, spec.nodeSelector),
  );
  if (nodes === undefined || nodes.length === 0) return [];
  return [...requestsOf(spec)].flatMap(([resource, wanted]) => {
    const offers = nodes.map((node) => node.status?.allocatable?.[resource] ?? '0');
    const largest = offers.reduce((most, offer) => (nanoOf(offer) > nanoOf(most) ? offer : most), '0');
    if (nanoOf(largest) >= wanted.nano) return [];
    const what = `no node has ${wanted.text} ${resource}: the largest of ${nodes.length} has ${largest}`;
    const why = 'Launches wait until an autoscaler adds such a node, or fail after deadlines.placementSeconds.';
    const fix = `lower resources.requests.${resource} in the profile's template, or check that an autoscaler adds such nodes`;
    return [warning(`${about}: profile ${profile.name}`, what, why, fix)];
  });
}

function hasLabels({ metadata }: V1Node, wanted: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => metadata?.labels?.[key] === value);
}

interface Request {
  nano: bigint;
  text: string;
}

/** Sums up what the containers ask for. A container without a request asks for its limit. */
function requestsOf({ containers }: z.infer<typeof Spec>): Map<string, Request> {
  const sums = new Map<string, Request>();
  for (const { resources } of containers) {
    for (const [resource, text] of Object.entries({ ...resources?.limits, ...resources?.requests })) {
      const before = sums.get(resource);
      const nano = nanoOf(text) + (before?.nano ?? 0n);
      sums.set(resource, { nano, text: before === undefined ? text : `${before.text} + ${text}` });
    }
  }
  return sums;
}

function nanoOf(text: string): bigint {
  return nanoQuantity(text) ?? 0n;
}
